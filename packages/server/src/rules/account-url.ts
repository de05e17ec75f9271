/**
 * Scheme, case of the host, `www.`, trailing slash, query and fragment make no difference; the path's case does (D45).
 * Nor do other spellings of the same host and path: the dot of the root, escapes that are not needed.
 */
export function normalizedUrl(address: string): string {
  const { host } = new URL(address);
  return host.replace(/^www\./, '').replace(/\.(?=:|$)/, '') + pathOf(address).replace(/\/+$/, '');
}

/** The last part of the path without its `@`: `acme` of `https://www.tiktok.com/@acme`. */
export function handleOf(address: string): string | null {
  const last = pathOf(address).split('/').filter(Boolean).at(-1)?.replace(/^@+/, '');
  return last ? last : null;
}

/** The path with its escapes in one form: `@acme` of `/%40%61cme`. What needs its escape keeps it. */
const pathOf = (address: string): string =>
  new URL(address).pathname.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~@-]/.test(character) ? character : code.toUpperCase();
  });
