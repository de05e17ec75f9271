import { Settings } from '../../config/settings.js';
import type { Io } from '../../io/io.js';
import { cachePath, knownOf, readCache } from '../../shared/completion-cache/cache.js';
import type { Candidate, Local } from './candidates.js';

/** Ids and e-mail addresses go to the command line as they are: nothing in them may mean something to a shell. */
const SAFE_ID = /^[\w@][\w.@:+-]*$/;
/** Names may hold blanks, which the shell's script quotes. Others are shown beside the id and never typed. */
const SAFE_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u;

/** Lists without an organization in their key. */
const WITHOUT_ORGANIZATION = ['organizations', 'social-accounts', 'tokens'];

/** What this machine knows: the cache that lists leave behind, and the names of profiles. No network, no keychain. */
export function localValues(io: Pick<Io, 'env' | 'cwd' | 'home' | 'platform'>): Local {
  const settingsWith = (given: ReadonlyMap<string, string>): Settings =>
    new Settings(io, { org: given.get('org'), profile: given.get('profile'), baseUrl: given.get('base-url') });
  return {
    listed: (noun, other, given) => {
      const settings = settingsWith(given);
      const service = settings.baseUrl?.value;
      if (service === undefined) return [];
      const { lists, last } = knownOf(readCache(cachePath(io)), service);
      const organizations = lists.organizations ?? [];
      const wanted = settings.organization?.value ?? last;
      const organization = organizations.find(([, name]) => name === wanted)?.[0] ?? wanted;
      const key = WITHOUT_ORGANIZATION.includes(noun) ? noun : `${organization}/${noun}`;
      const rows = lists[key] ?? [];
      const ids = rows.map(([id, name]): Candidate => ({ value: id, about: name }));
      const others = rows.map(([id, name, email]): Candidate => ({ value: email ?? name, about: email ? name : id }));
      return [
        ...ids.filter(({ value }) => SAFE_ID.test(value)),
        ...(other ? others.filter(({ value }) => SAFE_ID.test(value) || SAFE_NAME.test(value)) : []),
      ];
    },
    profiles: () =>
      Object.entries(settingsWith(new Map()).config.profiles)
        .filter(([name]) => SAFE_ID.test(name))
        .map(([value, { base_url: about = '' }]) => ({ value, about })),
  };
}
