import openInBrowser from 'open';
import { nounOf } from '../../api/resources.js';
import type { Context } from '../../context/context.js';
import { usageError } from '../../errors/cli-error.js';

interface Pages {
  readonly paths: ReadonlyMap<string, string>;
  /** Nouns that have a page for each id. */
  readonly ofOne: readonly string[];
}

async function pathOf(context: Context, { paths, ofOne }: Pages, word: string, id: string | undefined) {
  const noun = nounOf(word);
  const path = paths.get(noun);
  if (path === undefined) throw usageError(`"${word}" has no page.`, `One of: ${[...paths.keys()].join(', ')}`);
  if (id !== undefined && !ofOne.includes(noun))
    throw usageError(`${noun} has one page, which takes no id.`, `mkt open ${noun}`);
  const organization = path.includes(':') ? encodeURIComponent((await context.organization()).id) : '';
  return path.replace(':organization', () => organization) + (id === undefined ? '' : `/${encodeURIComponent(id)}`);
}

export async function open(context: Context, pages: Pages, noun: string | undefined, id: string | undefined) {
  const path = noun === undefined ? '/' : await pathOf(context, pages, noun, id);
  const url = `${context.settings.requiredBaseUrl}${path}`;
  await context.print.write(`${url}\n`);
  if (!context.interactive) return;
  try {
    await openInBrowser(url);
  } catch {
    // On a server nothing opens URLs; the user has it on the screen.
    context.warn('No browser could be started: open the address above yourself.');
  }
}
