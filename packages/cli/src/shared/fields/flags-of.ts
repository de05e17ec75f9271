import type { Flag, Leaf } from '../../context/command.js';

const fileFlag: Flag = {
  name: 'file',
  short: 'f',
  kind: 'path',
  value: 'FILE',
  description: 'Take the fields from a JSON or YAML file (- for stdin); flags go before it',
};

/** All flags of a command: its own, and those that follow from the contract, which is loaded only for them. */
export async function flagsOf(leaf: Leaf): Promise<readonly Flag[]> {
  const own = leaf.flags ?? [];
  if (leaf.fields === undefined) return own;
  const { fieldFlags } = await import('../../api/field-flags.js');
  return [...fieldFlags(leaf.fields), fileFlag, ...own];
}
