import type { Command, Flag } from '../../context/command.js';
import { flagsOf } from '../../shared/fields/flags-of.js';

/** What the help of a command says that does not stand in its data. */
export interface Details {
  /** Its own flags, and those that follow from the contract. */
  readonly flags: readonly Flag[];
  /** The fields of what it prints, for --fields and --json. */
  readonly fields: readonly string[];
}

/** The details of a command, from the contract where it has a part in them. */
export async function detailsOf(leaf: Command): Promise<Details> {
  const flags = await flagsOf(leaf);
  if (!leaf.prints) return { flags, fields: [] };
  const { fieldNames } = await import('../../api/field-flags.js');
  return { flags, fields: fieldNames(leaf.prints) };
}
