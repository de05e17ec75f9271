import { raw } from 'hono/html';
import type { FieldKind } from '../../http/field-kind.js';
import { listParts } from '../../http/form-fields.js';
import { allowedElements } from '../../rules/rich-text.js';
import { editorPath } from '../assets.js';
import { editorHtml } from '../brief-text.js';
import type { FieldChange } from '../form-values.js';
import { countryOptionsId } from './countries.js';
import { Term, wholeNumber } from './values.js';

export interface ControlProps {
  readonly kind: FieldKind['kind'] | 'prose' | 'file' | 'secret' | 'country' | 'many' | 'locked';
  readonly name: string;
  /** The name of the form field, such as `campaign[name]`. */
  readonly input: string;
  readonly label: string;
  readonly hint: string;
  readonly value?: string;
  readonly choices?: readonly string[];
  /** The text of a choice; by default the choice itself. */
  readonly labels?: (choice: string) => string;
  /** Of several values: the checkboxes that are ticked, the label of the input for more, and the id of its suggestions. */
  readonly ticked?: readonly string[];
  readonly more?: string;
  readonly options?: string;
  /** Shown inside the input, such as a currency. */
  readonly unit?: string;
  readonly autocomplete?: string;
  /** Both values of a field that was changed elsewhere after the form was opened. */
  readonly change?: FieldChange;
  readonly errors?: readonly string[];
  readonly required?: boolean;
  /** Whether two such controls fit into a line. */
  readonly short?: boolean;
}

const idOf = (name: string): string => `field-${name}`;

/** A field of a form: label, control, hint and messages. */
export function Control(props: ControlProps) {
  const { kind, name, label, hint, errors = [], change, unit } = props;
  const id = idOf(name);
  const notes = [unit && `${id}-unit`, hint && `${id}-hint`, errors.length > 0 && `${id}-error`]
    .filter(Boolean)
    .join(' ');
  const attributes = {
    id,
    ...(notes && { 'aria-describedby': notes }),
    ...(errors.length > 0 && { 'aria-invalid': 'true' as const }),
  };
  const input = <Input {...props} attributes={attributes} />;
  const isTick = kind === 'boolean' || kind === 'flag';
  const isShort = props.short === true && !isTick && kind !== 'prose' && kind !== 'file';
  const messages = (
    <>
      {hint && <small id={`${id}-hint`}>{hint}</small>}
      {errors.length > 0 && (
        <p class="error" id={`${id}-error`}>
          {errors.join(' ')}
        </p>
      )}
      {change && <Versions {...change} labels={props.labels} />}
    </>
  );
  if (kind === 'many')
    return (
      <fieldset class="field">
        <legend>{label}</legend>
        <Checkboxes {...props} attributes={attributes} />
        {messages}
      </fieldset>
    );
  return (
    <div class={isShort ? 'field short' : 'field'}>
      <label for={isTick ? undefined : id}>
        {isTick && input}
        {label}
        {props.required && <span class="required"> (required)</span>}
      </label>
      {!isTick &&
        (unit === undefined ? (
          input
        ) : (
          <span class="money">
            <span class="unit" id={`${id}-unit`}>
              {unit}
            </span>
            {input}
          </span>
        ))}
      {messages}
    </div>
  );
}

const Versions = ({ saved, submitted, isConflict, labels }: FieldChange & { labels: ControlProps['labels'] }) => {
  const inWords = (text: string) => (labels ? listParts(text).map(labels).join(', ') : text);
  return (
    <dl class="versions">
      <Term name="Saved now">{inWords(saved)}</Term>
      <Term name={isConflict ? 'Your value' : 'When you opened the form'}>{inWords(submitted)}</Term>
    </dl>
  );
};

interface InputProps extends ControlProps {
  /** The id, and the descriptions for screen readers. */
  readonly attributes: { readonly id: string };
}

/** A checkbox for each value that is set or offered, and an input for more. */
function Checkboxes(props: InputProps) {
  const { attributes, input, value = '', choices = [], ticked = [], more, options } = props;
  return (
    <>
      <input type="hidden" name={input} value="" />
      <div class="ticks">
        {choices.map((choice) => (
          <label>
            <input type="checkbox" name={input} value={choice} checked={ticked.includes(choice)} />
            {props.labels?.(choice) ?? choice}
          </label>
        ))}
      </div>
      <label for={attributes.id}>{more}</label>
      <input type="text" dir="auto" {...attributes} name={input} value={value} list={options} autocomplete="off" />
    </>
  );
}

/** `1,000` for `1000`; other texts as they are. */
export const grouped = (text: string): string => (/^\d{1,15}$/.test(text) ? wholeNumber.format(Number(text)) : text);

function Input(props: InputProps) {
  const { kind, attributes, input: name, value = '', choices = [], errors = [], required } = props;
  const described = { ...attributes, name };
  if (kind === 'choice') {
    return (
      <select {...described} required={required}>
        {!choices.includes(value) && <option value="">{required ? 'Choose' : 'Default'}</option>}
        {choices.map((choice) => (
          <option value={choice} selected={choice === value}>
            {props.labels?.(choice) ?? choice}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'prose') {
    const html = editorHtml(value);
    // Browsers drop a line break at the start of a text area.
    return (
      <>
        <textarea {...described} dir="auto" rows={8} data-editor>
          {value.startsWith('\n') ? `\n${value}` : value}
        </textarea>
        {html !== undefined && <template>{raw(html)}</template>}
        <script src={editorPath} type="module" />
        <details class="hint">
          <summary>Which HTML?</summary>
          {`These elements, with these attributes: ${allowedElements.join(', ')}. All may have dir. Of others, the text stays.`}
        </details>
      </>
    );
  }
  if (kind === 'locked') {
    const shown = props.unit === undefined ? value : grouped(value);
    const text = props.labels?.(value) ?? shown;
    return <input type="text" {...attributes} value={text} readonly data-fixed={name} data-value={value} />;
  }
  if (kind === 'boolean') {
    // An unchecked checkbox sends nothing, so the hidden field before it sends false.
    return (
      <>
        <input type="hidden" name={name} value="false" />
        <input type="checkbox" {...described} value="true" checked={value === 'true'} />
      </>
    );
  }
  if (kind === 'flag') return <input type="checkbox" {...described} value="1" checked={value === '1'} />;
  if (kind === 'file')
    return (
      <>
        {value !== '' && <img class="current" src={value} alt={`The current ${props.label.toLowerCase()}`} />}
        <input type="file" {...described} accept="image/png,image/jpeg,image/webp,image/gif" />
      </>
    );
  // The only field of its form, so it gets the focus after a rejection.
  if (kind === 'secret')
    return (
      <input type="password" {...described} required autocomplete="current-password" autofocus={errors.length > 0} />
    );
  return (
    <input
      // The mouse wheel changes a number input.
      {...(kind === 'integer' ? { type: 'text', inputmode: 'numeric' } : { type: 'text', dir: 'auto' })}
      {...described}
      value={kind === 'integer' ? grouped(value) : value}
      list={kind === 'country' ? countryOptionsId : undefined}
      autocomplete={props.autocomplete}
      required={required}
    />
  );
}

interface ErrorSummaryProps {
  readonly reasons: readonly string[];
  /** The messages of fields, with links to them. */
  readonly fields?: readonly Pick<ControlProps, 'name' | 'errors'>[];
}

/** The reasons for the rejection, above the form. The page is focused here, because there are no scripts. */
export const ErrorSummary = ({ reasons, fields = [] }: ErrorSummaryProps) => (
  <div class="flash flash-bad" role="alert" tabindex={-1} autofocus>
    {reasons.map((reason) => (
      <p>{reason}</p>
    ))}
    {fields.length > 0 && (
      <>
        <p>Not saved. See the fields below:</p>
        <ul>
          {fields.map(({ name, errors }) => (
            <li>
              <a href={`#${idOf(name)}`}>{errors?.join(' ')}</a>
            </li>
          ))}
        </ul>
      </>
    )}
  </div>
);
