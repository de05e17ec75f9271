import type { Command } from '../context/command.js';
import type { Flag } from '../context/flags.js';

const fileFlag: Flag = {
  name: 'file',
  short: 'f',
  kind: 'path',
  value: 'FILE',
  description: 'Read the fields from a JSON or YAML file (- for a pipe); flags override it',
};

/** All flags of a command: its own, and those of its fields. The contract is loaded only for the latter. */
export async function flagsOf({ fields, flags = [] }: Command): Promise<readonly Flag[]> {
  if (fields === undefined) return flags;
  if (fields.flags !== undefined) return [...fields.flags, ...flags];
  const { fieldFlags } = await import('../api/field-flags.js');
  return [...fieldFlags(fields), fileFlag, ...flags];
}
