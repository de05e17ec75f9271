import type { Settings } from '../config/settings.js';
import { usageError } from '../errors/cli-error.js';
import { targetOf } from '../history/targets.js';
import { sanitizeLine } from '../text/sanitize.js';

/** Whether a URL is the name of a social account: that of a profile elsewhere. */
export const isProfileUrl = ({ requiredBaseUrl }: Pick<Settings, 'requiredBaseUrl'>, word: string, resource: string) =>
  resource === 'social-accounts' && !word.startsWith(`${requiredBaseUrl}/`);

/**
 * What the URL of a page or of JSON of the service names: the group of commands, the id, and its organization.
 * @throws a usage error for a URL of another service or of anything else
 */
export function fromUrl({ requiredBaseUrl: base }: Pick<Settings, 'requiredBaseUrl'>, word: string) {
  const url = URL.canParse(word) ? `${new URL(word).origin}${new URL(word).pathname}` : '';
  if (!url.startsWith(`${base}/`))
    throw usageError(
      `${sanitizeLine(word)} is not a URL of ${base}.`,
      'To choose another service: --profile or --base-url',
    );
  const path = url
    .slice(base.length)
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
export function idInUrl(settings: Pick<Settings, 'requiredBaseUrl'>, word: string, resource: string) {
  const found = fromUrl(settings, word);
  if (found.resource === resource) return found;
  throw usageError(`${sanitizeLine(word)} is a URL of ${found.resource}, not of ${resource}.`);
}
