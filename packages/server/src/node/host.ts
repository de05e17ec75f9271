const shape = /^(?:(\[[\da-f:.]+\])|[\w-]{1,63}(?:\.[\w-]{1,63})*\.?)(?::\d{1,5})?$/i;

/**
 * Whether a Host header is a name or an IP address with an optional port. The URL parser decides, because later code uses
 * it; what it would change, such as `127.1` to `127.0.0.1`, is invalid.
 */
export function isHost(text: string): boolean {
  const match = shape.exec(text);
  const url = `http://${text}`;
  if (match === null || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return match[1] !== undefined || (hostname.length <= 254 && hostname === text.replace(/:\d+$/, '').toLowerCase());
}
