import openInBrowser from 'open';
import { resourceNamed } from '../../api/resources.js';
import type { Context } from '../../context/context.js';
import { usageError } from '../../errors/cli-error.js';

interface Pages {
  readonly paths: ReadonlyMap<string, string>;
  /** Resources with a page for each id. */
  readonly withIds: readonly string[];
}

async function pathOf(context: Context, { paths, withIds }: Pages, word: string, id: string | undefined) {
  const resource = resourceNamed(word);
  const path = paths.get(resource);
  if (path === undefined) throw usageError(`"${word}" has no page.`, `One of: ${[...paths.keys()].join(', ')}`);
  if (id !== undefined && !withIds.includes(resource))
    throw usageError(`mkt open ${resource} takes no id.`, `mkt open ${resource}`);
  const organization = path.includes(':') ? encodeURIComponent((await context.organization()).id) : '';
  return path.replace(':organization', () => organization) + (id === undefined ? '' : `/${encodeURIComponent(id)}`);
}

export async function open(context: Context, pages: Pages, resource: string | undefined, id: string | undefined) {
  const path = resource === undefined ? '/' : await pathOf(context, pages, resource, id);
  const url = `${context.settings.requiredBaseUrl}${path}`;
  await context.print.write(`${url}\n`);
  if (!context.interactive) return;
  try {
    await openInBrowser(url);
  } catch {
    // Servers usually have no browser; the URL is on the screen.
    context.warn('No browser could be started. Open the URL above yourself.');
  }
}
