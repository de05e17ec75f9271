import { signIn, usageError } from '../errors/cli-error.js';

const LOOPBACK = /^(localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether the URL is on this machine. */
export const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/** A URL without its scheme, as users often type it. */
const WITHOUT_SCHEME = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:\/.*)?$/i;

function fullUrlHint(text: string): string {
  const secure = `https://${text}`;
  if (!WITHOUT_SCHEME.test(text) || !URL.canParse(secure)) return 'Use the full URL, such as https://api.example.com';
  return `Use the full URL: ${isLoopback(secure) ? `http://${text}` : secure}`;
}

/** The URL as it is used and stored, without a trailing slash. Plain http is rejected except on this machine. */
export function checkedBaseUrl(text: string, origin: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`"${text}" (${origin}) is not a valid URL.`, fullUrlHint(text));
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError(
      `The URL from ${origin} contains a user name or password.`,
      signIn('mkt login', 'Remove it. To sign in'),
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url.href)) {
    throw usageError(
      `${url.origin} (${origin}) would send your token unencrypted.`,
      `Use https://${url.host}; plain http works only on this machine (localhost)`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The origin that a stored token belongs to. */
export const hostOf = (baseUrl: string): string => new URL(baseUrl).origin;
