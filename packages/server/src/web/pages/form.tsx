import { formPath } from '../form-values.js';
import { type Item, nameInSentence } from '../page-descriptions.js';
import { pageOf } from '../paths.js';
import type { ProductPage } from '../product-page.js';
import { uploadField } from '../uploads.js';
import { HiddenFields } from './buttons.js';
import { Missing, missingIn } from './confirm.js';
import { Control, type ControlProps, ErrorSummary, grouped } from './control.js';
import { CountrySuggestions } from './countries.js';
import { type FormProps, more, type Section, sectionsOf } from './form-controls.js';
import { crumbsTo, Page } from './layout.js';
import { BriefText, Term, titleOf } from './values.js';

/** A form for an endpoint: a control for each field of the request schema, in sections. */
export function formPage(props: FormProps) {
  const { context, resource, endpoint, item, errors = {}, reasons = [], version, opened, product } = props;
  const path = pageOf(endpoint, context.parameters);
  // An address may be changed before it exists.
  const exists = item !== null && item.id !== undefined;
  const sections = sectionsOf(props);
  const controls = sections.flatMap((section) => section.controls);
  const invalid = controls.filter(({ errors = [] }) => errors.length > 0);
  if (product?.errors) invalid.unshift(productControl(product));
  const known = new Set(invalid.map(({ name }) => name));
  const otherErrors = Object.entries(errors).flatMap(([field, messages]) => (known.has(field) ? [] : messages));
  otherErrors.unshift(...reasons);
  const rejected = invalid.length > 0 || otherErrors.length > 0;
  const brief = controls.find(({ kind }) => kind === 'prose');
  const ownPath = formPath(path, endpoint);
  const copied = props.from ? { from: props.from } : null;
  const parameters = { ...copied, ...(item === null && { form: context.formId }), ...uploadField(props.uploaded) };
  const ownPage = [ownPath, new URLSearchParams(parameters)].filter(String).join('?');
  const submit = item ? 'Save' : resource.newLabel.replace(/^New/, 'Create');
  const form = (
    <form
      method="post"
      action={path}
      enctype={endpoint.request?.file ? 'multipart/form-data' : 'application/x-www-form-urlencoded'}
      data-user={context.visitor?.userId}
      data-page={ownPage}
      data-opened={opened && JSON.stringify(opened)}
      data-sent={props.isSent ? '' : undefined}
    >
      {/* Browsers restore what was typed by position, and only in a form whose first fields have the same names. */}
      <input
        type="hidden"
        name={`${context.visitor?.userId}-${version?.etag}${props.values ? '-submitted' : ''}`}
        disabled
      />
      <HiddenFields
        fields={{
          csrf_token: context.csrf ?? '',
          _method: endpoint.method === 'POST' ? undefined : endpoint.method.toLowerCase(),
          form_id: context.formId,
          ...copied,
          ...version,
          ...(version && { press: '', continues: '' }),
          ...uploadField(props.uploaded),
        }}
      />
      {props.uploaded?.isGone && (
        <p class="flash flash-warm">{`${props.uploaded.name} is gone, so this ${resource.singular} will have none.`}</p>
      )}
      {product && <StartFromPage product={product} path={ownPath} submit={submit} />}
      {sections.map((section) => (
        <SectionFields {...section} />
      ))}
      {props.preview && (
        <section class="brief" tabindex={-1} autofocus>
          <h2>Preview of the brief</h2>
          <BriefText html={props.preview} />
        </section>
      )}
      <div class="actions bar">
        <button type="submit">{submit}</button>
        {brief && (
          <button type="submit" class="quiet" name="preview" value="1" formaction={ownPath} formnovalidate>
            Preview
          </button>
        )}
        <a href={ownPath.replace(/\/[^/]*$/, '')}>Cancel</a>
      </div>
    </form>
  );
  return (
    <Page
      context={context}
      rejected={rejected}
      title={exists ? `Edit ${nameInSentence(resource, item)}` : resource.newLabel}
      crumbs={crumbsTo(context, resource, item)}
    >
      {rejected && <ErrorSummary reasons={otherErrors} fields={invalid} />}
      {controls.some(({ kind, options }) => kind === 'country' || options) && <CountrySuggestions />}
      {brief ? (
        <div class="with-summary">
          {form}
          <Summary form={props} controls={controls} />
        </div>
      ) : (
        form
      )}
    </Page>
  );
}

const SectionFields = ({ title, hint, controls }: Section) => {
  const fields = controls.map((control) => <Control {...control} />);
  if (title === more)
    return (
      <details open={controls.some(({ errors = [] }) => errors.length > 0)}>
        <summary>{more}</summary>
        <div class="fields">{fields}</div>
      </details>
    );
  return (
    <section class="fields section">
      {title !== null && <h2>{title}</h2>}
      {hint !== null && <p class="hint">{hint}</p>}
      {fields}
    </section>
  );
};

const productControl = ({ typed, errors = [] }: ProductPage) => ({
  kind: 'text' as const,
  name: 'product_page',
  input: 'product_page',
  label: 'Product page',
  hint: 'Its address fills Website; its title, description, country and image fill Name, Brief, Countries and the banner image. What you have typed stays.',
  value: typed,
  errors,
});

/** A collab may be filled from a product page. Its values are shown before anything is created. */
const StartFromPage = ({ product, path, submit }: { product: ProductPage; path: string; submit: string }) => (
  <>
    {/* The Enter key uses the first button of a form. */}
    <button type="submit" hidden>
      {submit}
    </button>
    <HiddenFields
      fields={{
        product_read: product.read,
        product_image: product.image,
        untouched: product.untouched,
      }}
    />
    <details open={product.typed !== '' || product.errors !== undefined}>
      <summary>Start from a product page</summary>
      {product.found && (
        <div class="flash flash-good" role="status" tabindex={-1} autofocus>
          <p>{foundMessage(product.found)}</p>
          {product.picture && <img class="current" src={product.picture} alt="The future banner" />}
        </div>
      )}
      <Control {...productControl(product)} />
      <button type="submit" class="quiet" name="use_page" value="1" formaction={path} formnovalidate>
        Use this page
      </button>
    </details>
  </>
);

const list = new Intl.ListFormat('en-GB', { type: 'conjunction' });
const foundMessage = (found: readonly string[]): string =>
  found.length === 0
    ? 'The page was read, but it has nothing that you have not typed.'
    : `Taken from the page: ${list.format(found.map((name) => titleOf(name).toLowerCase()))}. Nothing was created yet. Check the fields first.`;

/** More is too long for any of these fields. Its own field shows all of it. */
const maxShown = 2000;

/** What a form contains, next to it. Without a script for it, it is as old as the page. */
const Summary = ({ form, controls }: { form: FormProps; controls: readonly ControlProps[] }) => (
  <section class="sheet summary">
    <h2>Summary</h2>
    <dl>
      {controls.flatMap((control) => {
        if (control.kind === 'prose' || control.kind === 'file' || control.kind === 'flag') return [];
        return <Term name={control.label}>{textOf(control).slice(0, maxShown)}</Term>;
      })}
    </dl>
    <p class="hint">Press Preview to update it.</p>
    {form.resource.name === 'campaigns' && !form.item?.published_at && (
      <Missing warnings={missingIn({ ...form.item, ...valuesOf(controls) })} />
    )}
  </section>
);

/** The texts of a control's value: several for a list. */
const textsOf = ({ ticked = [], value = '', choices = [], labels }: ControlProps): readonly string[] =>
  [...ticked, value].flatMap((text) => {
    if (text === '') return [];
    return labels && choices.includes(text) ? labels(text) : text;
  });

function textOf(control: ControlProps): string {
  if (control.kind === 'boolean') return control.value === 'true' ? 'Yes' : 'No';
  const text = textsOf(control).join(', ');
  return control.unit !== undefined && text !== '' ? `${grouped(text)} ${control.unit}` : text;
}

/** The values, as far as publishing warns of missing ones. */
const valuesOf = (controls: readonly ControlProps[]): Item =>
  Object.fromEntries(
    controls.map((control) => {
      const texts = textsOf(control);
      return [control.name, control.ticked ? texts : (texts[0] ?? null)];
    }),
  );
