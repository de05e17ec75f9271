import type { Settings } from '../config/settings.js';
import { usageError } from '../errors/cli-error.js';
import { targetOf } from '../history/targets.js';
import { sanitizeLine } from '../text/values.js';

/** The names of this machine that lead to the same service. */
const THIS_MACHINE = /^(localhost|127\.0\.0\.1|\[::1\])$/;

type Service = Pick<Settings, 'requiredBaseUrl'>;

/** The path in the service, for which this machine has several names; undefined for a URL of another one. */
function pathIn({ requiredBaseUrl: base }: Service, word: string): string | undefined {
  if (!URL.canParse(word)) return undefined;
  const [url, service] = [new URL(word), new URL(base)];
  if ([url, service].every(({ hostname }) => THIS_MACHINE.test(hostname))) url.hostname = service.hostname;
  const full = `${url.origin}${url.pathname}`;
  return full.startsWith(`${base}/`) ? full.slice(base.length) : undefined;
}

/** Whether a URL is the name of a social account: that of a profile elsewhere. */
export const isProfileUrl = (settings: Service, word: string, resource: string): boolean =>
  resource === 'social-accounts' && pathIn(settings, word) === undefined;

/**
 * What the URL of a page or of JSON of the service names: the group of commands, the id, and its organization.
 * @throws a usage error for a URL of another service or of anything else
 */
export function fromUrl(settings: Service, word: string) {
  const given = pathIn(settings, word);
  if (given === undefined)
    throw usageError(
      `${sanitizeLine(word)} is not a URL of ${settings.requiredBaseUrl}.`,
      'To choose another service: --profile or --base-url',
    );
  const path = given
    .replace(/\/+$/, '')
    .replace(/\/edit$/, '')
    .replace(/\.json$/, '');
  const found = /%(?![0-9a-f]{2})/i.test(path) ? undefined : targetOf(`${path}.json`);
  const { resource, organization, id } = found ?? {};
  if (resource === undefined || organization === undefined || id === undefined)
    throw usageError(`${sanitizeLine(word)} is not the URL of one resource.`);
  return { resource, organization, id };
}

/** The id in a URL of a resource of this group of commands. @throws a usage error */
export function idInUrl(settings: Service, word: string, resource: string) {
  const found = fromUrl(settings, word);
  if (found.resource === resource) return found;
  throw usageError(`${sanitizeLine(word)} is a URL of ${found.resource}, not of ${resource}.`);
}
