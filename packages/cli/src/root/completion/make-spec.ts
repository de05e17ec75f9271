import * as contract from '@mkt/sdk/contract';
import {
  type Argument,
  type Command,
  type CommandGroup,
  type CommandNode,
  type Flag,
  isGroup,
} from '../../context/command.js';
import { globalFlags } from '../../context/global-flags.js';
import { importable } from '../../context/importable.js';
import { openable } from '../../context/openable.js';
import { commands } from '../commands.js';
import { detailsOf } from '../help/details.js';
import { topics } from '../help/topics.js';
import type { CommandSpec, FlagSpec, Source, Spec } from './spec.js';

/** The values of a field that has a fixed set of them; lists and nullables are looked through. */
function valuesOf(schema: string, field: string): readonly string[] | undefined {
  const shape = (contract as unknown as Record<string, { _zod?: { def: { shape?: Record<string, Typed> } } }>)[schema]
    ?._zod?.def.shape;
  let type = shape?.[field];
  while (type !== undefined) {
    const { entries, element, innerType, options } = type._zod.def;
    if (entries !== undefined) return Object.values(entries).map(String);
    type = element ?? innerType ?? options?.find((option) => option._zod.def.entries !== undefined);
  }
  return undefined;
}

interface Typed {
  readonly _zod: {
    readonly def: {
      readonly entries?: Readonly<Record<string, string | number>>;
      readonly element?: Typed;
      readonly innerType?: Typed;
      readonly options?: readonly Typed[];
    };
  };
}

function flagSource(flag: Flag, leaf: Command | undefined, fields: readonly string[]): Source {
  if (flag.choices !== undefined) return { choices: flag.choices };
  if (flag.kind === 'path') return { from: 'files' };
  if (flag.filter !== undefined && leaf?.prints) {
    const values = valuesOf(leaf.prints, flag.filter.field);
    if (values !== undefined) return { choices: values };
  }
  if (flag.name === 'org') return { listed: 'organizations', other: true };
  if (flag.name === 'profile') return { from: 'profiles' };
  if (flag.name === 'sort' && fields.length > 0) return { choices: fields };
  return null;
}

function flagSpec(flag: Flag, leaf?: Command, fields: readonly string[] = []): FlagSpec[] {
  const { name, short, kind, description: about, repeatable } = flag;
  if (kind === 'boolean')
    return [
      { name, about },
      { name: `no-${name}`, about: `Not: ${about}` },
    ];
  if (kind === 'switch') return [{ name, ...(short !== undefined && { short }), about }];
  return [
    {
      name,
      ...(short !== undefined && { short }),
      about,
      value: flagSource(flag, leaf, fields),
      ...(kind === 'list' && { list: true }),
      ...(repeatable === true && { repeatable }),
    },
  ];
}

/** Where not everything that has a list is meant. */
const nouns: Readonly<Record<string, readonly string[]>> = { open: Object.keys(openable), import: importable };

function argumentSource({ name }: Argument, leaf: Command, group: CommandGroup | undefined): Source {
  if (name === 'noun')
    return {
      choices: nouns[leaf.name] ?? ['campaigns', 'collabs', 'members', 'organizations', 'social-accounts', 'tokens'],
    };
  if (name === 'key') return { choices: ['base_url', 'org', 'format'] };
  if (name === 'profile') return { from: 'profiles' };
  if (name === 'topic') return { from: 'commands' };
  if (name === 'shell') return { choices: ['bash', 'zsh', 'fish', 'powershell'] };
  if (!name.startsWith('id')) return null;
  if (group === undefined) return { listed: null, of: Object.keys(openable).filter((noun) => openable[noun]?.ofOne) };
  return { listed: group.name, ...(name !== 'id' && { other: true }) };
}

async function leafSpec(leaf: Command, group?: CommandGroup): Promise<CommandSpec> {
  const { flags, fields } = await detailsOf(leaf);
  const own = flags.filter(({ hidden }) => hidden !== true).flatMap((flag) => flagSpec(flag, leaf, fields));
  return {
    name: leaf.name,
    ...(leaf.aliases !== undefined && { aliases: leaf.aliases }),
    about: leaf.summary,
    args: (leaf.args ?? []).map((argument) => {
      const source = argumentSource(argument, leaf, group);
      return argument.variadic === true ? { rest: source } : source;
    }),
    flags:
      fields.length === 0
        ? own
        : [
            ...own,
            { name: 'fields', about: 'Only these fields, in this order', value: { choices: fields }, list: true },
          ],
  };
}

const commandSpec = async (command: CommandNode): Promise<CommandSpec> => {
  if (!isGroup(command)) return leafSpec(command);
  const { name, aliases, summary: about, commands } = command;
  const inner = await Promise.all(commands.map((leaf) => leafSpec(leaf, command)));
  return { name, ...(aliases !== undefined && { aliases }), about, commands: inner };
};

/** What completion has to know, from the data of the commands and the contract. Loads the schemas. */
export const makeSpec = async (): Promise<{ readonly spec: Spec; readonly topics: readonly string[] }> => ({
  spec: {
    flags: [
      ...globalFlags.flatMap((flag) => flagSpec(flag)),
      { name: 'help', short: 'h', about: 'Help for the command' },
    ],
    commands: await Promise.all(commands.map(commandSpec)),
  },
  topics: topics.map(({ name }) => name),
});
