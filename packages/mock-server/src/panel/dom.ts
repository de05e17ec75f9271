type Child = Node | string | null;

/** An element with attributes, properties (of functions and booleans) and children. */
export function el<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | boolean | (() => unknown)>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(key, value);
    else if (value === true) element.setAttribute(key, '');
    else if (value !== false) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

let controls = 0;

/** A control with its label before it. A label around a list of choices would contain their texts as well. */
export function labeled(label: string, control: HTMLInputElement | HTMLSelectElement): HTMLElement {
  controls += 1;
  control.id = `control-${controls}`;
  return el('span', {}, el('label', { for: control.id }, label), ' ', control);
}

/** A field of a form. */
export interface Field {
  readonly name: string;
  readonly label: string;
  /** `number`, a list of choices, or text by default. */
  readonly kind?: 'number' | readonly string[] | undefined;
  readonly value?: string;
  readonly optional?: boolean;
}

/** What a form contains: numbers are converted, and empty fields are left out. */
export type FormValues = Readonly<Record<string, string | number>>;

/** A form in one line: its fields, and a button that submits them. */
export function form(title: string, label: string, fields: readonly Field[], submit: (values: FormValues) => void) {
  const inputs = fields.map((field): [Field, HTMLElement] => {
    const { name, label, kind, value = '', optional } = field;
    const input = Array.isArray(kind)
      ? el('select', { name }, ...(optional ? ['', ...kind] : kind).map((choice) => el('option', {}, choice)))
      : el('input', {
          name,
          type: kind === 'number' ? 'number' : 'text',
          value,
          required: !optional,
          size: value.length > 8 ? '20' : '8',
        });
    return [field, labeled(label, input)];
  });
  const element = el(
    'form',
    { 'aria-label': title },
    el('strong', {}, title),
    ...inputs.map(([, input]) => input),
    el('button', {}, label),
  );
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = new FormData(element);
    const values = inputs.map(([{ name, kind }]) => {
      const text = String(given.get(name)).trim();
      return [name, kind === 'number' && text !== '' ? Number(text) : text] as const;
    });
    submit(Object.fromEntries(values.filter(([, value]) => value !== '')));
  });
  return element;
}
