import type { Invocation } from '../context/command.js';
import type { Context } from '../context/context.js';
import { connect, find, namedOrPicked } from './connection.js';
import { detailView, type Listing } from './presenter.js';

/** Prints one resource with all its fields. */
export async function show(
  context: Context,
  invocation: Invocation & { readonly flags: { readonly web?: boolean } },
  listing: Listing,
): Promise<void> {
  const { resource } = listing;
  const word = await namedOrPicked(context, listing, invocation);
  if (invocation.flags.web === true) {
    const { openNamed, openPage } = await import('./browse.js');
    return resource.hasPages ? openNamed(context, listing, word) : openPage(context, resource);
  }
  await context.print.row(await find(await connect(context, listing), word), detailView(listing));
}
