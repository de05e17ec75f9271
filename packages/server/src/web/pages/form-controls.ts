import {
  type Description,
  descriptionText,
  type Endpoint,
  type FieldKinds,
  fieldsOfKind,
  hasKind,
  type Kind,
  type RequestBody,
  resources,
  type Schema,
} from '@mkt/sdk/contract';
import { type FieldKind, fieldKind } from '../../http/field-kind.js';
import { typedParts } from '../../http/form-fields.js';
import { fieldDescriptions } from '../../openapi/schemas.js';
import { currencyCodes, platformNames } from '../../rules/codes.js';
import { fieldsOf } from '../../rules/fields.js';
import type { FieldErrors } from '../form-messages.js';
import { defaultsOf, type FieldChange, type FormVersion, fieldText, textOf, type Values } from '../form-values.js';
import type { PageContext } from '../page-context.js';
import type { Item, PageDescription } from '../page-descriptions.js';
import type { ProductPage } from '../product-page.js';
import type { Upload } from '../uploads.js';
import type { ControlProps } from './control.js';
import { countryName, countryOptionsId, currencyName, platformName } from './countries.js';
import { titleOf } from './values.js';

export interface FormProps {
  readonly context: PageContext;
  readonly resource: PageDescription;
  /** The endpoint of the form. Its contract entry defines the fields. */
  readonly endpoint: Endpoint;
  /** The item to change; null to create one. */
  readonly item: Item | null;
  /** The id of the item that a new one is a copy of. */
  readonly from?: string | undefined;
  /** Submitted values; by default those of the item. */
  readonly values?: Values;
  /** Whether the values were sent, so that the page is the response to a form. */
  readonly isSent?: boolean;
  readonly errors?: FieldErrors;
  /** Why nothing was saved, if it is not about a field. */
  readonly reasons?: readonly string[];
  /** The fields that were changed elsewhere after the form was opened. */
  readonly changes?: ReadonlyMap<string, FieldChange>;
  readonly version?: FormVersion;
  /** That of the form before something was changed elsewhere. */
  readonly opened?: Pick<FormVersion, 'etag' | 'original' | 'picture' | 'state'>;
  /** The image that was chosen before other fields were rejected. */
  readonly uploaded?: Upload | null;
  /** Null if the form cannot be filled from a product page. */
  readonly product: ProductPage | null;
  /** The brief as creators will see it. */
  readonly preview?: string | null;
}

export interface Section {
  readonly title: string | null;
  readonly hint: string | null;
  readonly controls: readonly ControlProps[];
}

/** The title of the section that is closed at first. */
export const more = 'More';

/** The fields of each section. All others are in the first one. */
const layouts: Readonly<Record<string, readonly (readonly [title: string, fields: readonly string[]])[]>> = {
  campaigns: [
    ['Basics', ['name', 'website', 'content_type', 'category', 'tiktok_music_id']],
    ['Audience', ['platform_ids', 'countries']],
    ['Payouts', ['currency', 'cpm_amount', 'min_payout_amount', 'max_payout_amount', 'base_reward_amount']],
    ['Brief', ['brief']],
  ],
  collabs: [
    ['Basics', ['name', 'website', 'purge_banner_image']],
    ['Audience', ['countries']],
    ['Payouts', ['currency', 'require_spark_ads', 'requires_product_shipment']],
    ['Brief', ['brief']],
  ],
  address: [
    ['Postal address', []],
    [more, ['latitude', 'longitude', 'google_place_id']],
  ],
};

export function sectionsOf(props: FormProps): readonly Section[] {
  const { resource } = props;
  const controls = controlsOf(props);
  const layout = layouts[resource.name];
  if (!layout) return [{ title: null, hint: null, controls }];
  const placed = new Set(layout.flatMap(([, fields]) => fields));
  const locked = resource.locked?.fields ?? [];
  const isLocked = isPublished(props);
  return layout.map(([title, fields], place) => {
    const own = fields.flatMap((name) => controls.find((control) => control.name === name) ?? []);
    const others = place === 0 ? controls.filter(({ name }) => !placed.has(name)) : [];
    const locks = fields.some((name) => locked.includes(name));
    const locksHint = isLocked ? `Fixed since the ${resource.singular} was published.` : 'Fixed once published.';
    const hint = locks ? locksHint : others.length > 0 ? positionHint(props) : null;
    return { title, hint, controls: [...own, ...others] };
  });
}

/** What another place empties. */
function positionHint({ item, resource: { fields } }: FormProps): string | null {
  const set = fieldsOfKind(fields, 'position').filter((name) => (item?.[name] ?? null) !== null);
  if (set.length === 0) return null;
  return `Another street, city, state, postal code or country empties ${list.format(set.map(titleOf))} under "${more}", unless you change one of them too.`;
}

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' });

const isPublished = ({ item, resource: { locked } }: FormProps): boolean =>
  item !== null && locked !== undefined && (item[locked.since] ?? null) !== null;

type SpecialControl = Partial<ControlProps> & Pick<ControlProps, 'kind'>;

/** Controls of fields of a kind, and of lists of them. */
const controlsByKind: Readonly<
  Partial<Record<Kind, { readonly one?: SpecialControl; readonly list?: SpecialControl }>>
> = {
  richText: {
    one: {
      kind: 'prose',
      hint: 'Markdown or HTML. A blank line starts a paragraph, a single line break is a space, and lines that start with "- " are a list.',
    },
  },
  currency: { one: { kind: 'choice', choices: currencyCodes, labels: currencyName, hint: '' } },
  country: {
    one: { kind: 'country', hint: 'A code or a name.' },
    list: {
      kind: 'many',
      labels: countryName,
      options: countryOptionsId,
      more: 'Add countries',
      hint: 'Names or codes, separated by commas.',
    },
  },
  platform: {
    list: {
      kind: 'many',
      labels: platformName,
      more: 'Add platforms',
      hint: 'Names, separated by commas.',
      // Offered even if they are not set.
      choices: [...new Set([...resources.campaigns.defaults.platform_ids, ...Object.keys(platformNames)])],
    },
  },
};

/** In other words than those of the API. */
const plainHints: Readonly<Record<string, string>> = {
  latitude: 'In degrees, such as 52.52. South of the equator with a minus.',
  longitude: 'In degrees, such as 13.405. West of Greenwich with a minus.',
};

/** What browsers fill in. */
const autocomplete: Readonly<Record<string, string>> = {
  address_one: 'address-line1',
  address_two: 'address-line2',
  city: 'address-level2',
  state: 'address-level1',
  postal_code: 'postal-code',
  country_code: 'country',
};

/** Fields with long text, like those with URLs; other fields share a line. */
const longFields: ReadonlySet<string> = new Set([
  ...['name', 'description', 'address_one', 'address_two', 'google_place_id'],
]);

function controlsOf(props: FormProps): readonly ControlProps[] {
  const { context, resource, endpoint, item, values, errors = {}, changes } = props;
  const request = endpoint.request as RequestBody;
  const creates = endpoint.method === 'POST';
  const picture = resource.picture && item?.[resource.picture];
  const lockedFields = isPublished(props) ? (resource.locked?.fields ?? []) : [];
  const defaults = creates ? defaultsOf(context, resource) : {};
  const descriptions = fieldDescriptions(request.fields);
  const textFor = (name: string): string => {
    if (lockedFields.includes(name)) return textOf(item?.[name]);
    // A default is sent as it is, so that it is stored as it is.
    return values?.[name] ?? (item ? fieldText(resource.fields, name, item[name]) : textOf(defaults[name]));
  };
  // Each amount repeats it: a long text would make a page of its size many times.
  const currency = resource.money && textFor(resource.money.currency).slice(0, 40).toUpperCase();

  const controls = Object.entries(fieldsOf(request.fields)).flatMap(([name, schema]): ControlProps[] => {
    const { kind, choices } = fieldKind(schema);
    // A purge flag is only useful if there is an image to remove.
    const uploaded = request.file === null && !props.uploaded?.isGone ? props.uploaded : null;
    if (kind === 'flag' && !picture && !uploaded) return [];
    const isA = (each: Kind): boolean => hasKind(resource.fields, name, each);
    const special = Object.entries(controlsByKind).find(([each]) => isA(each as Kind))?.[1][
      kind === 'list' ? 'list' : 'one'
    ];
    const change = changes?.get(name);
    const isLocked = lockedFields.includes(name);
    const hint = hintOf(kind, titleOf(name), descriptions[name], creates && defaults[name] === undefined);
    const control: ControlProps = {
      ...special,
      kind: isLocked ? 'locked' : (special?.kind ?? kind),
      name,
      input: `${request.wrapper}[${name}]`,
      label: kind === 'flag' ? `Remove the ${name.replace('purge_', '').replaceAll('_', ' ')}` : titleOf(name),
      hint: isLocked
        ? ''
        : kind === 'flag' && uploaded
          ? `${uploaded.name} will be used.`
          : (special?.hint ?? plainHints[name] ?? hint),
      value: textFor(name),
      choices: special?.choices ?? choices,
      ...(Object.hasOwn(autocomplete, name) && { autocomplete: autocomplete[name] }),
      errors: [...(errors[name] ?? []), ...(change && !isLocked ? [`${titleOf(name)} was changed meanwhile.`] : [])],
      required: !schema.safeParse(undefined).success,
      short: !longFields.has(name) && !isA('url'),
      ...(special?.kind === 'many' && ticksOf(resource.fields, name, schema, textFor(name), special.choices)),
      ...(change && { change }),
      ...(currency && isA('amount') && { unit: currency }),
    };
    return [control];
  });
  if (request.file === null) return controls;
  const file: ControlProps = {
    kind: 'file',
    name: request.file,
    input: `${request.wrapper}[${request.file}]`,
    label: titleOf(request.file),
    hint: props.uploaded
      ? `${props.uploaded.name} is uploaded. Choose a file only to replace it.`
      : 'A PNG, JPEG, WebP or GIF image, at most 5 MiB.',
    value: typeof picture === 'string' ? picture.slice(context.base.length) : '',
    errors: errors[request.file] ?? [],
  };
  // The last one: of a form that is too large, only the beginning is read.
  return [...controls, file];
}

/** The checkboxes of a list: what is set, and what is offered. The rest stays in the input as it was typed. */
function ticksOf(kinds: FieldKinds, name: string, schema: Schema, text: string, offered: readonly string[] = []) {
  const parts = typedParts(kinds, name, schema, text);
  const ticked = parts.flatMap(({ value, isValid }) => (isValid ? value : []));
  return {
    ticked,
    choices: [...new Set([...offered, ...ticked])],
    value: parts.flatMap(({ typed, isValid }) => (isValid ? [] : typed)).join(', '),
  };
}

/** The contract's description, with the default that the field does not contain. */
function hintOf(kind: FieldKind['kind'], label: string, description: Description | undefined, isEmpty: boolean) {
  if (kind === 'flag' || description === undefined) return '';
  const { what, default: standard } = description;
  // An empty field shows that there is none.
  const shown = isEmpty && standard !== undefined && standard !== 'none' && { default: standard };
  const text = descriptionText({ what, ...shown }).replaceAll('`', '');
  // `City.` below the label City is redundant.
  return text.toLowerCase() === `${label.toLowerCase()}.` ? '' : text;
}
