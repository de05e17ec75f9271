import type { Endpoint, RequestBody } from '@mkt/sdk/contract';
import { type FieldKind, fieldKind, fieldsOf } from '../../http/form-fields.js';
import type { FieldErrors } from '../../rules/errors.js';
import type { PageContext } from '../page-context.js';
import { pageOf } from '../paths.js';
import { type Item, nameInSentence, type Resource } from '../resources.js';
import { Control, type ControlProps } from './control.js';
import { crumbsToForm } from './crumbs.js';
import { ErrorSummary } from './error-summary.js';
import { page } from './layout.js';
import { HiddenFields } from './post-button.js';
import { titleOf } from './values.js';

interface FormProps {
  readonly context: PageContext;
  readonly resource: Resource;
  /** The endpoint of the form. Its contract entry defines the fields. */
  readonly endpoint: Endpoint;
  readonly parameters: Readonly<Record<string, string>>;
  /** The item to change; null to create one. */
  readonly item: Item | null;
  /** The values of a rejected attempt; by default those of the item. */
  readonly values?: Readonly<Record<string, string>>;
  readonly errors?: FieldErrors;
  /** The unique id of this form: if it is sent twice, it creates only one item. */
  readonly formId: string;
  /** Query parameters of the request, such as `website` of a new collab (D42). */
  readonly query?: Readonly<Record<string, string>>;
}

/** A form for an endpoint: a control for each field of the request schema. */
export function formPage(props: FormProps): string {
  const { context, resource, endpoint, parameters, item, errors = {} } = props;
  const request = endpoint.request as RequestBody;
  // An address may be changed before it exists.
  const exists = item !== null && item.id !== undefined;
  const product = props.query?.website ?? '';
  // The page could not be read: the error is about its URL, not about the field with the same name. The URL is not sent again.
  const unread = product !== '' && errors.website !== undefined;
  const query = product === '' || unread ? '' : `?${new URLSearchParams({ website: product })}`;
  const controls = controlsOf(props, request).map((control) =>
    unread && control.name === 'website' ? { ...control, errors: [] } : control,
  );
  const faulty = controls.filter((control) => control.errors.length > 0);
  const known = new Set(faulty.map(({ name }) => name));
  const loose = Object.entries(errors).flatMap(([field, messages]) => (known.has(field) ? [] : messages));
  const rejected = Object.keys(errors).length > 0;
  return page({
    context,
    rejected,
    title: exists ? `Edit ${nameInSentence(resource, item)}` : resource.newLabel,
    crumbs: crumbsToForm(context, resource, parameters, item),
    children: (
      <>
        {rejected && <ErrorSummary reasons={loose} fields={faulty} />}
        {endpoint.query.website && query === '' && <StartFromPage path={context.path} product={product} />}
        {query !== '' && (
          <p class="hint">
            Fields left empty are filled from <b>{product}</b>.
          </p>
        )}
        <form
          method="post"
          action={pageOf(endpoint, parameters) + query}
          enctype={endpoint.multipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded'}
          class="fields"
        >
          <HiddenFields
            csrf={context.csrf ?? ''}
            method={endpoint.method === 'POST' ? undefined : endpoint.method.toLowerCase()}
          />
          {item === null && <input type="hidden" name="form_id" value={props.formId} />}
          {controls.map((control) => (
            <Control {...control} short={!longFields.has(control.name)} />
          ))}
          <div class="actions">
            <button type="submit">{item ? 'Save' : resource.newLabel.replace(/^New/, 'Create')}</button>
            <a href={context.path.replace(/\/[^/?]*(\?.*)?$/s, '')}>Cancel</a>
          </div>
        </form>
      </>
    ),
  });
}

/** Fields with long text; other fields share a line. */
const longFields: ReadonlySet<string> = new Set([
  'name',
  'website',
  'account_url',
  'description',
  'address_one',
  'address_two',
  'google_place_id',
]);

function controlsOf(props: FormProps, request: RequestBody): readonly ControlProps[] {
  const { resource, endpoint, item, errors = {} } = props;
  const creates = endpoint.method === 'POST';
  const picture = resource.picture && item?.[resource.picture];
  const controls = Object.entries(fieldsOf(request.fields)).flatMap(([name, schema]): ControlProps[] => {
    const { kind, choices } = fieldKind(schema);
    // A purge flag is only useful if there is an image to remove.
    if (kind === 'flag' && !picture) return [];
    return [
      {
        kind: name === 'brief' ? 'prose' : kind,
        name,
        input: `${request.wrapper}[${name}]`,
        label: kind === 'flag' ? `Remove the ${name.replace('purge_', '').replaceAll('_', ' ')}` : titleOf(name),
        hint: hintOf(kind, titleOf(name), resource.hints[name], creates),
        value: props.values ? (props.values[name] ?? '') : textOf(item?.[name]),
        choices,
        errors: errors[name] ?? [],
        required: !schema.safeParse(undefined).success,
      },
    ];
  });
  if (request.file === null) return controls;
  return [...controls, { ...fileControl(request.wrapper, request.file), errors: errors[request.file] ?? [] }];
}

const fileControl = (wrapper: string, name: string): Omit<ControlProps, 'errors'> => ({
  kind: 'file',
  name,
  input: `${wrapper}[${name}]`,
  label: titleOf(name),
  hint: 'A PNG, JPEG, WebP or GIF image, at most 5 MiB.',
  value: '',
  choices: [],
  required: false,
});

const textOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.join(', ') : String(value);
};

/** The contract's description without references, and in updates without the defaults of creation. */
function hintOf(kind: FieldKind['kind'], label: string, description = '', creates: boolean): string {
  if (kind === 'flag') return '';
  const plain = description.replace(/ ?\((?:D\d+|api\.md)[^)]*\)/g, '').replaceAll('`', '');
  // `City.` below the label City is redundant.
  if (plain.toLowerCase() === `${label.toLowerCase()}.`) return '';
  const fitting = creates ? plain : plain.replace(/ ?(By default|Required when)[^.]*\./g, '');
  return kind === 'list' ? `${fitting} Separate them with commas.` : fitting;
}

/** A collab may be filled from a product page (D42): first the URL, then a draft to review. */
const StartFromPage = ({ path, product }: { path: string; product: string }) => (
  <details open={product !== ''}>
    <summary>Start from a product page</summary>
    <form method="get" action={path.split('?', 1)[0] ?? path} class="fields">
      <Control
        kind="text"
        name="product_page"
        input="website"
        label="Product page"
        hint="Its title, description, image and countries fill the fields that you leave empty."
        value={product}
        choices={[]}
        errors={[]}
        required
      />
      <button type="submit">Use this page</button>
    </form>
  </details>
);
