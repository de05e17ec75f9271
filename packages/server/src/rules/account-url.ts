/** A platform whose profiles are recognized in the URLs of their videos and tabs. */
interface Site {
  readonly host: RegExp;
  /** The part of a path that names the profile; its last group is the name. */
  readonly profile: RegExp;
  readonly example: string;
}

const sites: readonly Site[] = [
  { host: /(^|\.)tiktok\.com$/, profile: /^\/(@([^/]+))/, example: 'https://www.tiktok.com/@name' },
  {
    host: /(^|\.)(youtube\.com|youtu\.be)$/,
    profile: /^\/(@([^/]+)|(?:c|user|channel)\/([^/]+))/,
    example: 'https://www.youtube.com/@name',
  },
  {
    host: /(^|\.)instagram\.com$/,
    profile: /^\/((?!(?:p|reels?|stories|explore|tv|accounts|direct)(?:\/|$))([^/]+))/,
    example: 'https://www.instagram.com/name',
  },
  {
    host: /(^|\.)(twitter|x)\.com$/,
    profile: /^\/((?!(?:i|home|search|hashtag|intent|share)(?:\/|$))([^/]+))/,
    example: 'https://x.com/name',
  },
];

/** The account that a URL names. `example` is what the URL of a profile looks like, if it names only content. */
interface NamedAccount {
  readonly normalized: string;
  readonly uid: string;
  readonly example?: string;
}

/**
 * Two URLs name the same account if they differ only in scheme, case of the host, `www.`, `m.`, trailing slash, query or
 * fragment, in the trailing dot of the host, in unnecessary escapes, or in what follows the profile. The case of the path
 * matters. The uid is the name without its `@`: `acme` for `https://www.tiktok.com/@acme/video/1`.
 */
export function namedAccount(address: string): NamedAccount {
  const { host: given, searchParams } = new URL(address);
  const host = given.replace(/\.(?=:|$)/, '').replace(/^(?:www|m|mobile)\.(?=[^.]+\.)/, '');
  const path = pathOf(address).replace(/\/+$/, '');
  const site = sites.find((each) => each.host.test(host));
  // The front page of a platform is not content.
  if (site && path !== '') {
    const [, profile, ...names] = site.profile.exec(path) ?? [];
    const name = names.find((each) => each !== undefined);
    if (profile === undefined || name === undefined) return { ...lastPart(host + path, path), example: site.example };
    return { normalized: `${host === 'x.com' ? 'twitter.com' : host}/${profile}`, uid: readable(name) };
  }
  const id = searchParams.get('id');
  if (/(^|\.)facebook\.com$/.test(host) && path === '/profile.php' && id)
    return { normalized: `${host}${path}?id=${id}`, uid: id };
  return lastPart(host + path, path);
}

function lastPart(normalized: string, path: string): NamedAccount {
  const last = path.split('/').filter(Boolean).at(-1)?.replace(/^@+/, '');
  return { normalized, uid: last ? readable(last) : normalized };
}

/** A part of a path as people read it, unless that would contain what no text should. */
function readable(part: string): string {
  try {
    const text = decodeURIComponent(part);
    return /[\p{Cc}/]/u.test(text) ? part : text;
  } catch {
    return part;
  }
}

/** The path without unnecessary escapes: `@acme` for `/%40%61cme`. */
const pathOf = (address: string): string =>
  new URL(address).pathname.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /[\w.~@-]/.test(character) ? character : code.toUpperCase();
  });
