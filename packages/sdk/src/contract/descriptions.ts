import { descriptions } from './descriptions.generated.js';

/** What a field is, in sentences; its default, such as `usd`; and what else is true of it. */
export interface Description {
  readonly what: string;
  readonly default?: string;
  readonly remarks?: string;
}

/** All parts of a description as one line of plain text. */
export const descriptionText = ({ what, default: standard, remarks }: Description): string =>
  [what, ...(standard ? [`By default ${standard}.`] : []), ...(remarks ? [remarks] : [])].join(' ');

/** A field without other parts is described by a plain sentence. */
const tables: Readonly<Record<string, Readonly<Record<string, string | Description>>>> = descriptions;

/** The descriptions of the fields of a schema, by its name. Derived schemas share those of what they are derived from. */
export function descriptionsOf(name: string): Readonly<Record<string, Description>> {
  const own = name.charAt(0).toLowerCase() + name.slice(1);
  const base = own.replace(/ListItem$/, '').replace(/Changes$/, 'Fields');
  const table = tables[own] ?? tables[base] ?? tables[`${own}Representation`] ?? {};
  return Object.fromEntries(
    Object.entries(table).map(([field, given]) => [field, typeof given === 'string' ? { what: given } : given]),
  );
}
