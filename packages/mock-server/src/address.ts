/**
 * The API's address as requests have it: the host in lower case, without a default port or a slash at the end.
 * @throws {TypeError} for what is none
 */
export function apiAddress(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || /[?#]/.test(given)) {
    throw new TypeError(
      `The option baseUrl takes an address such as https://api.example.com/v1, without a query; it is ${JSON.stringify(given)}.`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}
