import { endpoints } from '@mkt/sdk/contract';
import { fieldNames, valuesOf } from '../../api/field-flags.js';
import { type Argument, type Command, isGroup } from '../../context/command.js';
import { type Flag, globalFlags } from '../../context/flags.js';
import { flagsOf } from '../../shared/fields/flags-of.js';
import { commands } from '../commands.js';
import { topics } from '../help/topics.js';

/** A command or a group, as completion reads it. */
export interface CommandSpec extends Pick<Command, 'name' | 'aliases' | 'summary' | 'args' | 'flags' | 'passThrough'> {
  /** Of a group. */
  readonly commands?: readonly CommandSpec[];
}

/** The data of completion, which loads no commands; the build writes it to a file. */
export interface Spec {
  readonly flags: readonly Flag[];
  readonly commands: readonly CommandSpec[];
  readonly topics: readonly string[];
}

/** The keys of the definitions that completion reads. */
const keys = [
  ...['flags', 'commands', 'topics', 'name', 'aliases', 'summary', 'args', 'passThrough', 'variadic'],
  ...[
    'short',
    'description',
    'kind',
    'repeatable',
    'completes',
    'choices',
    'listed',
    'names',
    'listedOf',
    'from',
    'states',
  ],
];

export const specText = async (): Promise<string> => JSON.stringify(await makeSpec(), keys);

/** A flag with what completes its value; a boolean is two switches. */
function flagSpecs(flag: Flag, prints?: string | null): readonly Flag[] {
  const { name, kind, filter, completes } = flag;
  if (kind === 'boolean') return [flag, { name: `no-${name}`, kind: 'switch', description: `Turn off --${name}` }];
  if (completes !== undefined || flag.choices !== undefined) return [flag];
  if (kind === 'path') return [{ ...flag, completes: { from: 'files' } }];
  if (!prints) return [filter?.known?.length ? { ...flag, choices: filter.known } : flag];
  const choices = name === 'sort' || name === 'fields' ? fieldNames(prints) : filter && valuesOf(prints, filter.field);
  return [choices === undefined ? flag : { ...flag, choices }];
}

/** An action is possible in some states only. */
function argsOf({ name, args = [] }: Command, group: string): readonly Argument[] {
  const from = endpoints.find(({ operation }) => operation === `${group}.${name}`)?.transition?.from;
  return from === undefined ? args : args.map((each) => ({ ...each, completes: { listed: group, states: from } }));
}

async function commandSpec(command: Command, group = ''): Promise<CommandSpec> {
  const { prints } = command;
  // The values of --fields are the fields of the command.
  const more: readonly Flag[] = prints ? globalFlags.filter(({ name }) => name === 'fields') : [];
  const flags = [...(await flagsOf(command)), ...more].filter(({ hidden }) => hidden !== true);
  return { ...command, args: argsOf(command, group), flags: flags.flatMap((flag) => flagSpecs(flag, prints)) };
}

/** Completion data, from the definitions of the commands and the contract. */
export const makeSpec = async (): Promise<Spec> => ({
  flags: [
    ...globalFlags.flatMap((flag) => flagSpecs(flag)),
    { name: 'help', short: 'h', description: 'Help for the command', kind: 'switch' },
  ],
  commands: await Promise.all(
    commands.map(async (node) =>
      isGroup(node)
        ? { ...node, commands: await Promise.all(node.commands().map((inner) => commandSpec(inner, node.name))) }
        : commandSpec(node),
    ),
  ),
  topics: topics.map(({ name }) => name),
});
