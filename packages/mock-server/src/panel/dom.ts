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
interface Field {
  readonly name: string;
  readonly label: string;
  /** By default it is text. */
  readonly choices?: readonly string[];
  readonly value?: string;
}

/** A form in one line: its fields, all required, and a button that submits them. */
export function form(
  title: string,
  label: string,
  fields: readonly Field[],
  submit: (values: Readonly<Record<string, string>>) => void,
) {
  const inputs = fields.map(({ name, label, choices, value = '' }) =>
    labeled(
      label,
      choices
        ? el('select', { name }, ...choices.map((choice) => el('option', {}, choice)))
        : el('input', { name, value, required: true, size: value.length > 8 ? '20' : '8' }),
    ),
  );
  const element = el('form', { 'aria-label': title }, el('strong', {}, title), ...inputs, el('button', {}, label));
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    const given = [...new FormData(element)].map(([name, value]) => [name, String(value).trim()]);
    submit(Object.fromEntries(given));
  });
  return element;
}
