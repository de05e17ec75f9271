import openInBrowser from 'open';
import type { Run } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { nounOf } from '../../context/noun-of.js';
import { usageError } from '../../errors/cli-error.js';
import { openable } from './openable.js';

async function pathOf(context: Context, word: string, id: string | undefined): Promise<string> {
  const noun = nounOf(word);
  const page = Object.hasOwn(openable, noun) ? openable[noun] : undefined;
  if (page === undefined) throw usageError(`"${word}" has no page.`, `One of: ${Object.keys(openable).join(', ')}`);
  const { path, ofOne } = page;
  if (id !== undefined && !ofOne) throw usageError(`${noun} has one page, which takes no id.`, `mkt open ${noun}`);
  const organization = path.includes(':') ? encodeURIComponent((await context.organization()).id) : '';
  return path.replace(':organization', () => organization) + (id === undefined ? '' : `/${encodeURIComponent(id)}`);
}

export const open: Run = async (context, { args: [noun, id] }) => {
  const baseUrl = context.settings.requiredBaseUrl;
  const url = `${baseUrl}${noun === undefined ? '/' : await pathOf(context, noun, id)}`;
  await context.print.write(`${url}\n`);
  if (!context.interactive) return;
  try {
    await openInBrowser(url);
  } catch {
    // On a server there is nothing that opens addresses; the person has it on the screen.
    context.warn('No browser could be started: open the address above yourself.');
  }
};
