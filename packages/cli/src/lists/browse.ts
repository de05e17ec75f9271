import openInBrowser from 'open';
import type { Resource } from '../api/labels.js';
import type { Context } from '../context/context.js';
import { connect, findId, isNumber } from './connection.js';
import type { Listing } from './presenter.js';

/**
 * Prints the URL of a page, and opens it in the browser if there is a terminal: that of one resource, of a list below it, of its
 * own list without an id, or the start page without a resource.
 */
export async function openPage(
  context: Context,
  resource: Resource | undefined,
  id?: string,
  below?: string,
): Promise<void> {
  const organization = resource?.inOrganization === true ? encodeURIComponent((await context.organization()).id) : '';
  const path = resource?.page.replace(':organization', () => organization) ?? '/';
  const parts = [id, below].flatMap((part) => (part === undefined ? [] : `/${encodeURIComponent(part)}`));
  const url = `${context.settings.requiredBaseUrl}${path}${parts.join('')}`;
  await context.printValue('url', url);
  if (!context.interactive) return;
  try {
    await openInBrowser(url);
  } catch {
    // Servers usually have no browser; the URL is on the screen.
    context.warn('No browser could be started. Open the URL above yourself.');
  }
}

/** The same for the page of a resource that a word names by its id or its unique name. */
export async function openNamed(context: Context, listing: Listing, word: string): Promise<void> {
  const id = isNumber(word) ? word : await findId(await connect(context, listing), word);
  await openPage(context, listing.resource, id);
}
