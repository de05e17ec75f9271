import { actInputs } from '../control/act-inputs.js';
import { type Argument, outlineOf } from '../control/arguments.js';
import { factoryInputs } from '../control/new-items.js';
import type { Created, FaultEffect, Milliseconds } from '../control-types.js';
import { type Field, type FormValues, form } from './dom.js';
import type { Panel } from './panel.js';

/** Faults that a front end should handle. */
export const effects: Readonly<Record<string, FaultEffect>> = {
  'Error 503': { status: 503, retryAfter: 1 },
  'Error 500': { status: 500 },
  'Error 401': { status: 401 },
  'Error 403': { status: 403 },
  'Error 404': { status: 404 },
  'Error 422': { status: 422 },
  'Rate limit 429': { status: 429, retryAfter: 1 },
  'Slow 503': { delay: 2000, status: 503 },
  'Slow 2 s': { delay: 2000 },
  'No connection': 'drop',
  'No response': 'hang',
  'Broken body': { truncate: 100 },
  'Broken JSON': 'malformed',
  'HTML page': 'wrongType',
};
export const latencies: readonly (readonly [string, Milliseconds])[] = [
  ['None', 0],
  ['100 to 300 ms', [100, 300]],
  ['300 ms to 1 s', [300, 1000]],
  ['2 s', 2000],
];
export const simulations: readonly (readonly [string, { readonly speed: number } | false])[] = [
  ['Off', false],
  ['Real time', { speed: 1 }],
  ['1 hour per second', { speed: 3600 }],
  ['1 day per second', { speed: 86_400 }],
];
/** Steps of the clock. */
export const moves = { '+1 hour': { hours: 1 }, '+1 day': { days: 1 }, '+30 days': { days: 30 } };

/** `view_count`, `fundCampaign` -> `View count`, `Fund campaign` */
const titleOf = (name: string): string =>
  name
    .replace(/_|(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replace(/^./, (first) => first.toUpperCase());

/** An argument that is an object has a field for each of its own. */
function fieldsOf({ name, schema }: Argument): readonly Field[] {
  const own = Object.entries(outlineOf(schema).fields);
  return (own.length > 0 ? own : [[name, schema] as const]).map(([name, schema]) => {
    const { type, choices, isOptional } = outlineOf(schema);
    const kind = type === 'boolean' ? ['true', 'false'] : type === 'number' ? type : choices;
    // The organization of the demo data.
    return { name, label: titleOf(name), kind, optional: isOptional, value: name === 'organization' ? '5' : '' };
  });
}

function argumentIn({ name, schema }: Argument, values: FormValues): unknown {
  const { type, fields } = outlineOf(schema);
  if (type === 'object') return Object.fromEntries(Object.entries(values).filter(([key]) => key in fields));
  return type === 'boolean' ? values[name] === 'true' : values[name];
}

type Methods = Readonly<
  Record<string, (...values: readonly unknown[]) => Promise<Created | readonly Created[] | undefined>>
>;

const inputs = { act: actInputs, create: factoryInputs };

/** A form for each method, with a field for each argument. The control checks them. */
export function methodForms(panel: Panel, kind: keyof typeof inputs): readonly HTMLElement[] {
  const methods = panel.control[kind] as unknown as Methods;
  return Object.entries<readonly Argument[]>(inputs[kind]).map(([name, input]) => {
    const title = titleOf(kind === 'create' ? `new ${name}` : name);
    const perform = async (values: FormValues): Promise<string> => {
      const result = await methods[name]?.(...input.map((argument) => argumentIn(argument, values)));
      const ids = [result ?? []].flat().map(({ id }) => id);
      return `${title}: ${ids.join(', ') || 'done'}.`;
    };
    return form(title, 'Send', input.flatMap(fieldsOf), (values) => void panel.run(() => perform(values)));
  });
}
