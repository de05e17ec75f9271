import openInBrowser from 'open';
import type { Run } from '../commands/command.js';
import type { Context } from '../context.js';
import { usageError } from '../errors/cli-error.js';

/** Pages of the service by noun: the paths of the API without `.json` (api.md, General rule 1). */
const pages: Readonly<Record<string, (context: Context) => Promise<string>>> = {
  organizations: async () => '/organizations',
  campaigns: async (context) => `/organizations/${encodeURIComponent((await context.organization()).id)}/campaigns`,
  collabs: async (context) => `/organizations/${encodeURIComponent((await context.organization()).id)}/collabs`,
  members: async (context) => `/organizations/${encodeURIComponent((await context.organization()).id)}/members`,
  'social-accounts': async () => '/me/social_accounts',
  tokens: async () => '/me/access_tokens',
  address: async () => '/me/address',
};

export const open: Run = async (context, { args: [noun, id] }) => {
  const baseUrl = context.settings.requiredBaseUrl;
  const page = noun === undefined ? async () => '/' : Object.hasOwn(pages, noun) ? pages[noun] : undefined;
  if (page === undefined) throw usageError(`"${noun}" has no page.`, `One of: ${Object.keys(pages).join(', ')}`);
  const path = await page(context);
  const url = `${baseUrl}${path}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;
  await context.print.write(`${url}\n`);
  if (!context.interactive) return;
  try {
    await openInBrowser(url);
  } catch {
    // On a server there is nothing that opens addresses; the person has it on the screen.
    context.warn('No browser could be started: open the address above yourself.');
  }
};
