/**
 * What an option names as the address of a server, read as browsers read it.
 * @param example For the sentence when it is none.
 * @throws {TypeError}
 */
export function httpAddress(option: string, given: string, example: string): URL {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && !/[?#]/.test(given)) return url;
  throw new TypeError(
    `The option ${option} takes an address such as ${example}, without a query; it is ${JSON.stringify(given)}.`,
  );
}

/** An address without a slash at its end, as requests begin with it. */
export const withoutSlash = ({ origin, pathname }: URL): string => origin + pathname.replace(/\/+$/, '');
