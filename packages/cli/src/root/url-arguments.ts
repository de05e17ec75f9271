import { campaigns, collabs, isNamed, members, organizations, socialAccounts, tokens } from '../api/labels.js';
import { fromUrl, idInUrl, isProfileUrl } from '../api/url-ids.js';
import { isUrl, Settings } from '../config/settings.js';
import { usageError } from '../errors/cli-error.js';
import type { Io } from '../io/io.js';
import type { Parsed } from './parser.js';

const resources = [organizations, campaigns, collabs, members, socialAccounts, tokens];

/** The ids in the URLs of organizations that commas separate. */
const organizationsIn = (settings: Settings, text: string): string =>
  text
    .split(',')
    .map((part) => (isUrl(part.trim()) ? fromUrl(settings, part.trim()).organization : part))
    .join(',');

/** The command line with ids instead of URLs of the service, whose organization replaces that of the settings. */
export function withUrlIds(parsed: Parsed, io: Io): Parsed {
  const { path, args, flags, global } = parsed;
  const settings = new Settings(io, global);
  const words = [...path.split(' '), ...args];
  const group = resources.find((each) => words.some((word) => isNamed(each, word)));
  const found = new Set<string>();
  const ids = args.map((word) => {
    if (!isUrl(word) || group === undefined || isProfileUrl(settings, word, group.command)) return word;
    const { organization, id } = idInUrl(settings, word, group.command);
    if (group.inOrganization) found.add(organization);
    return id;
  });
  const isEvery = global['all-orgs'] === true;
  const org = typeof global.org === 'string' ? organizationsIn(settings, global.org) : undefined;
  const [own, other] = found;
  if (other !== undefined) throw usageError('These URLs are of several organizations. A command changes one.');
  if (isEvery && own !== undefined) throw usageError('--all-orgs and a URL cannot be used together.');
  if (org !== undefined && own !== undefined && own !== org)
    throw usageError(`The URL is of organization ${own}, but --org is ${org}.`, 'Leave out --org');
  const chosen = own ?? org ?? (isEvery ? undefined : io.env.MKT_ORG && organizationsIn(settings, io.env.MKT_ORG));
  const to = flags['to-org'];
  return {
    ...parsed,
    args: ids,
    flags: typeof to === 'string' ? { ...flags, 'to-org': organizationsIn(settings, to) } : flags,
    global: chosen ? { ...global, org: chosen } : global,
  };
}
