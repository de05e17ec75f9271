import { usageError } from '../errors/cli-error.js';

const LOOPBACK = /^(localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether the address is of this very machine. */
export const isLoopback = (address: string): boolean => LOOPBACK.test(new URL(address).hostname);

/** An address without its scheme, as people say it. */
const SPOKEN = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:\/.*)?$/i;

/** What to write in place of something that is no address. */
function inFull(text: string): string {
  const secure = `https://${text}`;
  if (!SPOKEN.test(text) || !URL.canParse(secure)) return 'Write it in full, such as https://api.example.com';
  return `Write it in full: ${isLoopback(secure) ? `http://${text}` : secure}`;
}

/** The address as it is used and stored: no trailing slash. Plain http is refused anywhere but on this machine. */
export function checkedBaseUrl(text: string, origin: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`"${text}" (${origin}) is not the address of a service.`, inFull(text));
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError(
      `The address from ${origin} holds a user name or password.`,
      'Leave it out; sign in with: mkt login',
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url.href)) {
    throw usageError(
      `${url.origin} (${origin}) would send your token unencrypted.`,
      `Use https://${url.host}; plain http is for this machine only (localhost)`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** What a stored token is bound to. */
export const hostOf = (baseUrl: string): string => new URL(baseUrl).origin;
