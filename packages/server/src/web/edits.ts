import { type Endpoint, fieldsOfKind, type Kind, kindsOf, type RequestBody } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import { representationTag } from '../http/json.js';
import type { Problems } from '../rules/problems.js';
import { messagesForPeople } from './form-messages.js';
import { type FieldChange, type FormVersion, formComparison, textIn, textOf, valuesIn } from './form-values.js';
import { itemToChange } from './load-resource.js';
import { permissionError } from './page-context.js';
import { endpointFor, type Item, type PageDescription, pageDescriptionOf } from './page-descriptions.js';
import { formPage } from './pages/form.js';
import type { FormProps } from './pages/form-controls.js';
import { pageOf } from './paths.js';
import { productIn, readProduct } from './product-page.js';
import { changesImage, chosenFile, uploadIn } from './uploads.js';
import { formIdIn, type WebContext } from './web-context.js';

/** The ETag of the JSON. An address has one here too, and so has a missing one. */
const tagOf = (web: WebContext, item: Item): string => representationTag(item, web.site.sha256);

/** The version in a submitted form; null if it was sent by another client than our pages. */
function submittedVersion(form: FormData): FormVersion | null {
  const [etag, original, stored] = ['etag', 'original', 'stored'].map((name) => form.get(name));
  if (typeof etag !== 'string' || typeof original !== 'string') return null;
  const [picture = '', state = ''] = ['picture', 'state'].map((name) => String(form.get(name) ?? ''));
  return { etag, original, picture, state, ...(typeof stored === 'string' && { stored }) };
}

/** What a form has saved. */
interface SavedForm extends FormVersion {
  /** Which press of its button did so; empty without scripts. */
  readonly press: string;
}

/**
 * The version that a submitted form continues from: what it was opened with, or what it has saved before. An older entry of the
 * browser's history, or another tab, has what was typed before that: it continues only with what it repeats.
 */
async function versionBefore(web: WebContext, request: RequestBody, form: FormData): Promise<FormVersion | null> {
  const opened = submittedVersion(form);
  const key = savedKey(web, form);
  const saved = await web.site.store.read((reader) => web.processedForms.kept<SavedForm>(reader, key));
  if (!opened || !saved) return opened;
  if (saved.press !== '' && saved.press === form.get('continues')) return saved;
  return formComparison(request, web.site.sha256).savedAsSent(form, opened, saved);
}

/** The same for the form's own URL, to which a preview is sent. */
const savedKey = ({ site }: WebContext, form: FormData): string =>
  site.sha256(JSON.stringify(['csrf_token', 'form_id', 'etag'].map((name) => form.get(name))));

/** Keeps what the form of a change has saved, because people go back to it and write on. */
export async function keepSaved(web: WebContext, endpoint: Endpoint, form: FormData, item: Item): Promise<void> {
  if (!submittedVersion(form) || form.has('undo')) return;
  const { original: stored, ...version } = versionOf(web, endpoint, item);
  const request = endpoint.request as RequestBody;
  const original = formComparison(request, web.site.sha256).fingerprintsOf(valuesIn(form, request));
  const saved: SavedForm = { ...version, original, stored, press: String(form.get('press') ?? '') };
  await web.processedForms.keepFor(savedKey(web, form), saved);
}

/** What a form says about the item that it is filled from. */
export const versionOf = (web: WebContext, { operation, request }: Endpoint, item: Item): FormVersion => ({
  ...formComparison(request as RequestBody, web.site.sha256).versionOf(item),
  etag: tagOf(web, item),
  picture: textAt('picture', operation, item),
  state: textAt('state', operation, item),
});

/** The URL of the picture of an item, or its state; empty if it has none. */
const textAt = (place: 'picture' | 'state', operation: Endpoint['operation'], item: Item): string => {
  const { [place]: field } = pageDescriptionOf(operation);
  return String((field && item[field]) ?? '');
};

const wordsOf = (state: string): string => state.replaceAll('_', ' ');

interface ShownForm
  extends Pick<FormProps, 'item' | 'values' | 'changes' | 'version' | 'opened' | 'preview' | 'reasons'> {
  readonly status?: number;
  readonly problems?: Problems;
  /** The submitted form, to show its values and its version again. */
  readonly form?: FormData | null;
  /** Whether to read the product page that the form names. */
  readonly readsPage?: boolean;
}

/** Responds with the form of an endpoint, filled from the item unless there are other values. */
export async function showForm(
  web: WebContext,
  exchange: Exchange,
  endpoint: Endpoint,
  { status = 200, form = null, ...shown }: ShownForm,
): Promise<Response> {
  const context = await web.contextOf(exchange);
  const error = permissionError(context, endpoint);
  if (error) throw error;
  const before = form && endpoint.request && (await versionBefore(web, endpoint.request, form));
  const { item } = shown;
  // The form shows the image as it is now.
  const version = before && item && { ...before, picture: textAt('picture', endpoint.operation, item) };
  return formResponse(web, exchange, endpoint, { ...(version && { version }), ...shown, context, status, form });
}

/** The same in a context that is known, so that nothing is read from the store. */
export async function formResponse(
  web: WebContext,
  exchange: Exchange,
  endpoint: Endpoint,
  {
    context,
    status = 200,
    form = null,
    readsPage = false,
    problems = {},
    ...shown
  }: ShownForm & Pick<FormProps, 'context'>,
): Promise<Response> {
  const request = endpoint.request as RequestBody;
  const resource = pageDescriptionOf(endpoint.operation);
  const { item } = shown;
  const version = shown.version ?? (form && submittedVersion(form)) ?? (item && versionOf(web, endpoint, item));
  const values = shown.values ?? (form ? valuesIn(form, request) : undefined);
  const asked = productIn(web, context, endpoint, form);
  const { visitor } = context;
  const read =
    readsPage && asked && form && visitor ? await readProduct(web, exchange, context, endpoint, asked, form) : null;
  const chosen = form && chosenFile(form, request);
  const uploaded = read ? read.uploaded : visitor && (await uploadIn(web, exchange, form, request).catch(() => null));
  const page = formPage({
    ...shown,
    context: { ...context, formId: formIdIn(form?.get('form_id')) ?? context.formId },
    resource,
    endpoint,
    product: read?.product ?? asked,
    errors: {
      ...(chosen && !uploaded && { [String(request.file)]: [`Choose ${chosen.name} again.`] }),
      ...messagesForPeople(request, values ?? {}, problems),
    },
    ...(values && { values: read?.values ?? values }),
    isSent: form !== null,
    ...(item && version && { version }),
    uploaded,
    ...(endpoint.method === 'POST' && { from: form ? textIn(form, 'from') : exchange.query('from')[0] }),
  });
  return web.answer(exchange, read?.product.errors ? 422 : status, context, page);
}

/**
 * Reduces the form of a change to the fields that the user changed. Responds with the form again if someone else
 * changed the item since it was opened, and null otherwise.
 */
export async function checkEdit(web: WebContext, exchange: Exchange, endpoint: Endpoint, form: FormData) {
  const { request } = endpoint;
  const version = request && (await versionBefore(web, request, form));
  if (!version) return null;
  const item = (await itemToChange(web, exchange, endpoint)) ?? {};
  const stale = await staleForm(web, exchange, endpoint, form, item);
  if (stale) return stale;

  const { compare } = formComparison(request, web.site.sha256);
  const { unchanged } = compare(form, version, item);
  const names = new Set(unchanged.map((name) => `${request.wrapper}[${name}]`));
  const changes = new FormData();
  for (const [name, value] of form) {
    const isNoFile = typeof value !== 'string' && value.size === 0 && value.name === '';
    if (!names.has(name) && !isNoFile) changes.append(name, value);
  }
  // The position of another street is another one.
  const kinds = kindsOf(request.fields);
  const isChanged = (kind: Kind): boolean =>
    fieldsOfKind(kinds, kind).some((name) => changes.has(`${request.wrapper}[${name}]`));
  if (isChanged('place') && !isChanged('position'))
    for (const name of fieldsOfKind(kinds, 'position')) changes.append(`${request.wrapper}[${name}]`, '');
  const tag = tagOf(web, item);
  exchange.isAsShown = async (current) => tagOf(web, (current ?? {}) as Item) === tag;
  if ([...changes.keys()].some((name) => name.startsWith(`${request.wrapper}[`))) {
    exchange.form = changes;
    return null;
  }
  const get = endpointFor(pageDescriptionOf(endpoint.operation), 'get');
  return web.redirect(exchange, pageOf(get ?? endpoint, exchange.parameters), {
    tone: 'good',
    text: 'Nothing was changed.',
  });
}

/** Of fields that were changed, those that were locked meanwhile: with both values, what is saved and what was typed. */
export function lockedMeanwhile(
  { singular, locked }: PageDescription,
  item: Item | null,
  values: Item,
  changed: readonly string[],
) {
  const isLocked = item && locked && (item[locked.since] ?? null) !== null;
  const names = isLocked ? locked.fields.filter((name) => changed.includes(name)) : [];
  const sentence = `The ${singular} was published meanwhile, so this can no longer be changed.`;
  const change = (name: string) => ({ saved: textOf(item?.[name]), submitted: textOf(values[name]), isConflict: true });
  return {
    problems: Object.fromEntries(names.map((name) => [name, [{ code: 'sentence', sentence }] as const])),
    changes: new Map<string, FieldChange>(names.map((name) => [name, change(name)])),
  };
}

/** The form with both values of each field that was changed elsewhere; null if there are none. */
export async function staleForm(web: WebContext, exchange: Exchange, endpoint: Endpoint, form: FormData, item: Item) {
  const { request } = endpoint;
  const version = request && (await versionBefore(web, request, form));
  if (!version || version.etag === tagOf(web, item)) return null;
  const { etag, original, picture, state } = version;
  const newState = textAt('state', endpoint.operation, item);
  const isMoved = state !== '' && state !== newState;
  const newPicture = textAt('picture', endpoint.operation, item);
  const isReplaced = changesImage(exchange, form, request) && picture !== newPicture;
  const submitted = valuesIn(form, request);
  const { compare } = formComparison(request, web.site.sha256);
  const { unchanged, changedElsewhere } = compare(form, version, item);
  if (changedElsewhere.size === 0 && !isReplaced && !isMoved) return null;
  // The button that takes an update back is on the page that shows it.
  const since = form.has('undo') ? 'you saved it' : 'you opened this form';
  const changed = `was changed after ${since}, so nothing was saved.`;
  const resource = pageDescriptionOf(endpoint.operation);
  const { singular } = resource;
  const reasons = changedElsewhere.size > 0 ? [`This ${singular} ${changed} Compare the values, then save again.`] : [];
  if (isMoved)
    reasons.push(
      `This ${singular} is ${wordsOf(newState)} now. Its status was ${wordsOf(state)} when ${since}, so nothing was saved. Save again to change it.`,
    );
  const where = request.file === null ? '' : ' The form shows the saved one.';
  const sentence = newPicture
    ? `The image ${changed}${where} Save again to change it.`
    : `The image was removed after ${since}, so nothing was saved. Save again to store yours.`;
  const values = { ...submitted };
  const own = Object.keys(submitted).filter((name) => !unchanged.includes(name));
  const locked = lockedMeanwhile(resource, item, values, own);
  for (const [name, { saved, isConflict }] of changedElsewhere) if (!isConflict) values[name] = saved;
  return showForm(web, exchange, endpoint, {
    status: 422,
    item,
    values,
    changes: new Map([...changedElsewhere, ...locked.changes]),
    reasons,
    form,
    version: versionOf(web, endpoint, item),
    opened: { etag, original, picture, state },
    problems: { ...locked.problems, ...(isReplaced && { [String(request.file)]: [{ code: 'sentence', sentence }] }) },
  });
}
