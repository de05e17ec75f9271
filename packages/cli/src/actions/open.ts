import openInBrowser from 'open';
import type { Run } from '../commands/command.js';
import { nounOf } from '../commands/noun-of.js';
import type { Context } from '../context.js';
import { usageError } from '../errors/cli-error.js';

interface Page {
  /** As the API has it, without `.json` (api.md, General rule 1). */
  readonly path: string;
  /** Whether the API shows one of them too: what it does not show has no page. */
  readonly ofOne: boolean;
}

const pages: Readonly<Record<string, Page>> = {
  organizations: { path: '/organizations', ofOne: true },
  campaigns: { path: '/organizations/:organization/campaigns', ofOne: true },
  collabs: { path: '/organizations/:organization/collabs', ofOne: true },
  members: { path: '/organizations/:organization/members', ofOne: false },
  'social-accounts': { path: '/me/social_accounts', ofOne: true },
  tokens: { path: '/me/access_tokens', ofOne: false },
  address: { path: '/me/address', ofOne: false },
};

async function pathOf(context: Context, word: string, id: string | undefined): Promise<string> {
  const noun = nounOf(word);
  const page = Object.hasOwn(pages, noun) ? pages[noun] : undefined;
  if (page === undefined) throw usageError(`"${word}" has no page.`, `One of: ${Object.keys(pages).join(', ')}`);
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
