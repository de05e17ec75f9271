import { type Endpoint, fieldsOfKind, kindsOf, type Membership } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import { typedParts } from '../http/form-fields.js';
import type { View } from '../http/view.js';
import { leftOut } from '../rules/brief-html.js';
import { platformNamed } from '../rules/codes.js';
import type { Image } from '../rules/context.js';
import { fieldsOf } from '../rules/fields.js';
import { capitalized } from '../rules/problems.js';
import { versionOf } from './edits.js';
import type { Flash } from './flash.js';
import { inWordsOfPages } from './form-messages.js';
import { type briefIn, textOf, valuesIn } from './form-values.js';
import { permissionError } from './page-context.js';
import { endpointFor, type Item, type PageDescription, pageDescriptionOf } from './page-descriptions.js';
import { countryName, platformName } from './pages/countries.js';
import { imagesElsewhere, titleOf } from './pages/values.js';
import { pageOf } from './paths.js';
import { type AfterWrite, itemOf } from './processed-forms.js';
import { keepImage, uploadField } from './uploads.js';
import type { WebContext } from './web-context.js';

interface Update {
  readonly endpoint: Endpoint;
  readonly before: Item;
  readonly after: Item;
}

/** The fields of the form that the update changed. An image is not among them. */
const changedFields = ({ endpoint: { request }, before, after }: Update): readonly string[] =>
  Object.keys(request ? fieldsOf(request.fields) : {}).filter(
    (name) => name in before && JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );

/** Whether the update changed the image, whose URL is new then. */
const hasNewImage = ({ endpoint, before, after }: Update): boolean => {
  const { picture } = pageDescriptionOf(endpoint.operation);
  return picture !== undefined && before[picture] !== after[picture];
};

const imageTitle = ({ operation }: Endpoint): string =>
  titleOf(String(pageDescriptionOf(operation).picture).replace(/_url$/, ''));

const organizations = '/organizations';

/**
 * To the page of the resource, or to its list if it has no page.
 * @param before What was changed or deleted, as it was
 * @param image Its image, which the store no longer has if it was replaced
 */
export async function afterWrite(
  web: WebContext,
  exchange: Exchange,
  view: View,
  before: Item | null,
  image: Image | null,
): Promise<AfterWrite> {
  const resource = pageDescriptionOf(view.endpoint.operation);
  const to = await placeAfter(web, exchange, resource, view);
  if (resource.name === 'members' && to === organizations)
    return { to, flash: { tone: 'good', text: 'You have left the brand.' } };
  const flash = flashFor(exchange, resource, view, before);
  const undo = await storedUndo(web, exchange, view, before, to, image);
  const id = (view.body as Item | null)?.id ?? exchange.parameters.id;
  const item = view.endpoint.method === 'DELETE' ? undefined : itemOf(resource.name, id);
  return { to, flash: undo === null ? flash : { ...flash, undo }, ...(item && { item }) };
}

/** The key of the form that takes an update back; null if there is none, or the visitor may no longer send it. */
async function storedUndo(
  web: WebContext,
  exchange: Exchange,
  { endpoint, body }: View,
  before: Item | null,
  page: string,
  image: Image | null,
): Promise<string | null> {
  const { request } = endpoint;
  if (!request || endpoint.method !== 'PATCH' || before?.id === undefined) return null;
  const context = await web.contextOf(exchange);
  if (!context.visitor || permissionError(context, endpoint) !== null) return null;
  const { userId } = context.visitor;
  const after = body as Item;
  const names = changedFields({ endpoint, before, after });
  const isNew = hasNewImage({ endpoint, before, after });
  if (names.length === 0 && !isNew) return null;
  const { wrapper, purge } = request;
  const oldImage = isNew && {
    [`${wrapper}[${purge}]`]: image ? '0' : '1',
    ...(image && uploadField({ key: await keepImage(web, exchange, imageTitle(endpoint), image) })),
  };
  const label = exchange.form?.get('undo') === 'Undo' ? 'Redo' : 'Undo';
  const old = names.map((name) => [`${wrapper}[${name}]`, textOf(before[name])] as const);
  const version = versionOf(web, endpoint, after);
  const fields = {
    _method: 'patch',
    undo: label,
    form_id: web.site.random(9),
    ...version,
    ...Object.fromEntries(old),
    ...oldImage,
  };
  return web.processedForms.keepUndo(userId, { fields, action: exchange.url.pathname, label, page });
}

async function placeAfter(web: WebContext, exchange: Exchange, resource: PageDescription, view: View): Promise<string> {
  const get = endpointFor(resource, 'get');
  if (view.location !== null && get) return view.location.slice(web.site.base(exchange).length).replace(/\.json$/, '');
  const list = endpointFor(resource, 'list');
  if (!list) return exchange.url.pathname.replace(/\.json$/, '');
  const { membership, organization } = await web.contextOf(exchange);
  // Former members cannot see the organization.
  if (list.role !== 'none' && !membership && !organization) return organizations;
  return pageOf(list, exchange.parameters);
}

function flashFor(
  exchange: Exchange,
  resource: PageDescription,
  { endpoint, rejection, body }: View,
  before: Item | null,
): Flash {
  if (rejection !== null) return { tone: 'bad', text: inWordsOfPages(rejection) };
  if (endpoint.operation === 'members.remove' && before)
    return { tone: 'good', text: `${resource.labelOf(before)} was removed.` };
  if (endpoint.status === 204) return { tone: 'good', text: resource.removed };
  const action = resource.actions.find(({ name }) => endpoint.operation === `${resource.name}.${name}`);
  if (action) return { tone: 'good', text: action.done };
  if (endpoint.operation === 'members.update') {
    const { role, user } = body as Membership;
    return { tone: 'good', text: `${user.name} is ${role === 'admin' ? 'an admin' : `a ${role}`} now.` };
  }
  if (endpoint.status !== 201) {
    const after = body as Item;
    const changed = before ? changedFields({ endpoint, before, after }) : [];
    const isNew = before && hasNewImage({ endpoint, before, after });
    const names = [...changed.map(titleOf), ...(isNew ? [imageTitle(endpoint)] : [])];
    const done = { Undo: 'Restored', Redo: 'Changed again' }[String(exchange.form?.get('undo'))] ?? 'Saved';
    if (names.length > 0) return { tone: 'good', text: `${done}: ${names.join(', ')}.` };
    const isSame = JSON.stringify(before) === JSON.stringify(after);
    return { tone: 'good', text: isSame ? 'Nothing was changed.' : 'Saved.' };
  }
  const created = `${capitalized(resource.singular)} created.`;
  const { token } = (body ?? {}) as Item;
  if (typeof token !== 'string') return { tone: 'good', text: created };
  return { tone: 'good', text: created, secret: token };
}

/** What is not stored, or not shown, of the brief that a person wrote. */
export function remarksOnBrief({ html, unused }: NonNullable<ReturnType<typeof briefIn>>, stored: unknown): string[] {
  const missing = stored === undefined ? null : leftOut(html, String(stored ?? ''));
  const images = imagesElsewhere(String(stored ?? ''));
  const elsewhere =
    images === 1
      ? '1 image is on another site: these pages show only its address.'
      : `${images} images are on other sites: these pages show only their addresses.`;
  return [
    ...(missing?.size ? [`The brief was stored without ${[...missing.values()].join(', ')}.`] : []),
    ...(missing?.has('link') ? ['A link needs an address such as https://acme.example.'] : []),
    ...(images > 0 ? [elsewhere] : []),
    ...(unused === undefined ? [] : [`The ${unused} was left out.`]),
  ];
}

const nameOf = { platform: platformName, country: countryName, slug: (value: string) => value } as const;

/** What the texts of a form were taken for, and which platforms are not known. */
export function remarksOnValues({ request }: Endpoint, form: FormData, before: Item | null, after: Item): string[] {
  if (!request) return [];
  const [kinds, schemas, values] = [kindsOf(request.fields), fieldsOf(request.fields), valuesIn(form, request)];
  return (['platform', 'country', 'slug'] as const).flatMap((kind) =>
    fieldsOfKind(kinds, kind).flatMap((name) => {
      const { [name]: text = '' } = values;
      const { [name]: stored } = after;
      const { [name]: schema } = schemas;
      if (text === '') return [];
      const parts = Array.isArray(stored)
        ? schema && typedParts(kinds, name, schema, text)
        : [{ typed: text.trim(), value: String(stored) }];
      const known = [before?.[name]].flat();
      return (parts ?? []).flatMap(({ typed, value }) => {
        if (known.includes(value)) return [];
        const shown = nameOf[kind](value);
        const isSame = [value, shown].some((each) => each.toLowerCase() === typed.toLowerCase());
        const taken = isSame ? '' : `"${typed}" was ${kind === 'slug' ? 'saved as' : 'taken for'} ${shown}`;
        if (kind !== 'platform' || platformNamed(value) === value) return taken ? `${taken}.` : [];
        return taken ? `${taken}, which is not a known platform.` : `"${value}" is not a known platform.`;
      });
    }),
  );
}
