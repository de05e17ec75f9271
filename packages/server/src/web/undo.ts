import type { Endpoint } from '@mkt/sdk/contract';
import { fieldsOf } from '../rules/fields.js';
import { tagOf } from './edits.js';
import type { Undo } from './flash.js';
import { formComparison, textOf } from './form-values.js';
import type { Item } from './page-descriptions.js';
import type { WebContext } from './web-context.js';

/** An item before and after an update. */
interface Update {
  readonly endpoint: Endpoint;
  readonly before: Item;
  readonly after: Item;
}

/** The fields of the form that the update changed. An image is not among them. */
export const changedFields = ({ endpoint: { request }, before, after }: Update): readonly string[] =>
  Object.keys(request ? fieldsOf(request.fields) : {}).filter(
    (name) => name in before && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );

/** @returns null if there is nothing that could be restored */
export function undoOf(web: WebContext, update: Update, place: Omit<Undo, 'fields'>): Undo | null {
  const { before, after } = update;
  const { request } = update.endpoint;
  const names = changedFields(update);
  if (!request || names.length === 0) return null;
  const { etag, original } = formComparison(request, web.site.sha256).versionOf(after, tagOf(web, after));
  const old = names.map((name) => [`${request.wrapper}[${name}]`, textOf(before[name])] as const);
  const fields = { _method: 'patch', undo: place.label, etag, original, ...Object.fromEntries(old) };
  return { ...place, fields };
}
