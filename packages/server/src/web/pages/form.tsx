import { type Endpoint, type RequestBody, resources } from '@mkt/sdk/contract';
import { type FieldKind, fieldKind } from '../../http/form-fields.js';
import { fieldDescriptions, forReaders } from '../../openapi/schemas.js';
import { currencyCodes } from '../../rules/codes.generated.js';
import type { FieldErrors } from '../../rules/errors.js';
import { fieldsOf } from '../../rules/fields.js';
import { type FieldChange, type FormVersion, formPath, textOf, type Values } from '../form-values.js';
import type { PageContext } from '../page-context.js';
import { pageOf } from '../paths.js';
import { type Item, nameInSentence, type Resource } from '../resources.js';
import { Control, type ControlProps, ErrorSummary } from './control.js';
import { CountryOptions, currencyName } from './countries.js';
import { crumbsTo, Page } from './layout.js';
import { HiddenFields } from './post-button.js';
import { BriefText, titleOf } from './values.js';

export interface FormProps {
  readonly context: PageContext;
  readonly resource: Resource;
  /** The endpoint of the form. Its contract entry defines the fields. */
  readonly endpoint: Endpoint;
  /** The item to change; null to create one. */
  readonly item: Item | null;
  /** Submitted values; by default those of the item. */
  readonly values?: Values;
  readonly errors?: FieldErrors;
  /** The fields that were changed elsewhere after the form was opened. */
  readonly changes?: ReadonlyMap<string, FieldChange>;
  readonly version?: FormVersion;
  /** The unique id of this form: if it is sent twice, it creates only one item. */
  readonly formId: string;
  /** The URL of the page that a new collab is filled from (D42); empty for none. */
  readonly product: string;
  /** Whether the brief is shown as creators will see it. */
  readonly preview?: boolean;
}

/** A form for an endpoint: a control for each field of the request schema. */
export function formPage(props: FormProps) {
  const { context, resource, endpoint, item, errors = {}, changes, version, product } = props;
  const path = pageOf(endpoint, context.parameters);
  const request = endpoint.request as RequestBody;
  // An address may be changed before it exists.
  const exists = item !== null && item.id !== undefined;
  // The page could not be read: the error is about its URL, not about the field with the same name. The URL is not sent again.
  const unread = product !== '' && errors.website !== undefined;
  const query = product === '' || unread ? '' : `?${new URLSearchParams({ website: product })}`;
  const controls = controlsOf(props, request).map((control) =>
    unread && control.name === 'website' ? { ...control, errors: [] } : control,
  );
  const faulty = controls.filter(({ errors = [] }) => errors.length > 0);
  const known = new Set(faulty.map(({ name }) => name));
  const loose = Object.entries(errors).flatMap(([field, messages]) => (known.has(field) ? [] : messages));
  if (changes) loose.push(staleMessage(resource));
  const rejected = Object.keys(errors).length > 0 || changes !== undefined;
  const brief = controls.find(({ kind }) => kind === 'prose');
  const ownPath = formPath(path, endpoint);
  return (
    <Page
      context={context}
      rejected={rejected}
      title={exists ? `Edit ${nameInSentence(resource, item)}` : resource.newLabel}
      crumbs={crumbsTo(context, resource, item)}
    >
      {rejected && <ErrorSummary reasons={loose} fields={faulty} />}
      {endpoint.query.website && query === '' && <StartFromPage path={ownPath} product={product} />}
      {query !== '' && (
        <p class="hint">
          Fields left empty are filled from <b>{product}</b>.
        </p>
      )}
      {controls.some(({ kind }) => kind === 'countries' || kind === 'country') && <CountryOptions />}
      <form
        method="post"
        action={path + query}
        enctype={endpoint.multipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded'}
        class="fields"
      >
        <HiddenFields
          fields={{
            csrf_token: context.csrf ?? '',
            _method: endpoint.method === 'POST' ? undefined : endpoint.method.toLowerCase(),
            form_id: item === null ? props.formId : undefined,
            ...version,
          }}
        />
        {controls.map((control) => (
          <Control {...control} short={!longFields.has(control.name)} />
        ))}
        {props.preview && brief && (
          <section class="brief" tabindex={-1} autofocus>
            <h2>Preview of the brief</h2>
            <BriefText html={brief.value ?? ''} />
          </section>
        )}
        <div class="actions">
          <button type="submit">{item ? 'Save' : resource.newLabel.replace(/^New/, 'Create')}</button>
          {brief && (
            <button type="submit" class="quiet" name="preview" value="1" formaction={ownPath + query} formnovalidate>
              Preview the brief
            </button>
          )}
          <a href={ownPath.replace(/\/[^/]*$/, '')}>Cancel</a>
        </div>
      </form>
    </Page>
  );
}

/** Controls that the type of a field does not imply. */
const specialControls: Readonly<Record<string, Partial<ControlProps> & Pick<ControlProps, 'kind'>>> = {
  brief: { kind: 'prose' },
  currency: { kind: 'choice', choices: currencyCodes, labels: currencyName },
  countries: { kind: 'countries', hint: 'Codes or names, separated by commas.' },
  country_code: { kind: 'country', hint: 'A code or a name.', autocomplete: 'country' },
  platform_ids: {
    kind: 'checkboxes',
    hint: 'Separated by commas.',
    choices: resources.campaigns.defaults.platform_ids,
  },
  address_one: { kind: 'text', autocomplete: 'address-line1' },
  address_two: { kind: 'text', autocomplete: 'address-line2' },
  city: { kind: 'text', autocomplete: 'address-level2' },
  state: { kind: 'text', autocomplete: 'address-level1' },
  postal_code: { kind: 'text', autocomplete: 'postal-code' },
};

/** Fields with long text; other fields share a line. */
const longFields: ReadonlySet<string> = new Set([
  'name',
  'website',
  'account_url',
  'description',
  'address_one',
  'address_two',
  'google_place_id',
  'countries',
  'platform_ids',
]);

function controlsOf(props: FormProps, request: RequestBody): readonly ControlProps[] {
  const { resource, endpoint, item, values, errors = {}, changes } = props;
  const creates = endpoint.method === 'POST';
  const picture = resource.picture && item?.[resource.picture];
  const lockedFields = item && resource.locked && item[resource.locked.since] !== null ? resource.locked.fields : [];
  const currency = item && resource.money && String(item[resource.money.currency]).toUpperCase();
  const defaults = creates ? defaultsOf(props) : {};
  const descriptions = fieldDescriptions(request.fields);
  const controls = Object.entries(fieldsOf(request.fields)).flatMap(([name, schema]): ControlProps[] => {
    const { kind, choices } = fieldKind(schema);
    // A purge flag is only useful if there is an image to remove.
    if (kind === 'flag' && !picture) return [];
    const change = changes?.get(name);
    const isLocked = lockedFields.includes(name);
    const isAmount = resource.money?.fields.includes(name) === true;
    const control: ControlProps = {
      ...specialControls[name],
      kind: isLocked ? 'locked' : (specialControls[name]?.kind ?? kind),
      name,
      input: `${request.wrapper}[${name}]`,
      label: kind === 'flag' ? `Remove the ${name.replace('purge_', '').replaceAll('_', ' ')}` : titleOf(name),
      hint: isLocked
        ? 'Cannot be changed after publication.'
        : (specialControls[name]?.hint ??
          hintOf(kind, titleOf(name), descriptions[name], creates && defaults[name] === undefined)),
      value: isLocked ? textOf(item?.[name]) : (values?.[name] ?? textOf(item ? item[name] : defaults[name])),
      choices: specialControls[name]?.choices ?? choices,
      errors: [...(errors[name] ?? []), ...(change ? [`${titleOf(name)} was changed meanwhile.`] : [])],
      required: !schema.safeParse(undefined).success,
      ...(change && { change }),
      ...(isAmount && currency && { unit: currency }),
    };
    return [control];
  });
  if (request.file === null) return controls;
  const file: ControlProps = {
    kind: 'file',
    name: request.file,
    input: `${request.wrapper}[${request.file}]`,
    label: titleOf(request.file),
    hint: 'A PNG, JPEG, WebP or GIF image, at most 5 MiB.',
    value: typeof picture === 'string' ? picture.slice(props.context.base.length) : '',
    errors: errors[request.file] ?? [],
  };
  return [...controls, file];
}

/** What the API would use for fields that are left out. A product page takes precedence over some of them (D42). */
function defaultsOf({ context: { organization }, resource, product }: FormProps): Item {
  const own = resource.defaults ?? {};
  if (organization === null || resource.name === 'organizations') return own;
  const { website, brief_template: brief } = organization;
  if (resource.name === 'campaigns') return { ...own, website, brief };
  const { name: _, ...others } = own;
  const { default_currency: currency, default_countries: countries } = organization;
  return product === '' ? { ...own, website, brief, currency, countries } : { ...others, currency };
}

const staleMessage = ({ singular }: Resource): string =>
  `This ${singular} was changed after you opened this form, so nothing was saved. Compare the values, then save again.`;

/** The contract's description without references, and without defaults that the field contains. */
function hintOf(kind: FieldKind['kind'], label: string, description = '', hasDefault: boolean): string {
  if (kind === 'flag') return '';
  const plain = forReaders(description).replace('Three-letter currency code. ', '').replaceAll('`', '');
  const fitting =
    hasDefault && !plain.endsWith('By default none.')
      ? plain
      : plain.replace(/ ?(By default|Required when)[^.]*\./g, '');
  // `City.` below the label City is redundant.
  return fitting.toLowerCase() === `${label.toLowerCase()}.` ? '' : fitting;
}

/** A collab may be filled from a product page (D42): first the URL, then a draft to review. */
const StartFromPage = ({ path, product }: { path: string; product: string }) => (
  <details open={product !== ''}>
    <summary>Start from a product page</summary>
    <form method="get" action={path} class="fields">
      <Control
        kind="text"
        name="product_page"
        input="website"
        label="Product page"
        hint="Its title, description, image and countries fill the fields that you leave empty."
        value={product}
        required
      />
      <button type="submit">Use this page</button>
    </form>
  </details>
);
