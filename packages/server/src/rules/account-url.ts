/**
 * Two URLs name the same account if they differ only in scheme, case of the host, `www.`, trailing slash, query or
 * fragment, in the trailing dot of the host, or in unnecessary escapes. The case of the path matters.
 */
export function normalizedUrl(address: string): string {
  const { host } = new URL(address);
  return host.replace(/^www\./, '').replace(/\.(?=:|$)/, '') + pathOf(address).replace(/\/+$/, '');
}

/** The last part of the path without its `@`: `acme` for `https://www.tiktok.com/@acme`. */
export function handleOf(address: string): string | null {
  const last = pathOf(address).split('/').filter(Boolean).at(-1)?.replace(/^@+/, '');
  return last ? last : null;
}

/** The path without unnecessary escapes: `@acme` for `/%40%61cme`. */
const pathOf = (address: string): string =>
  new URL(address).pathname.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~@-]/.test(character) ? character : code.toUpperCase();
  });
