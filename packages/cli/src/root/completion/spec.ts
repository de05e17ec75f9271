import { controlAddition } from '@mkt/mock-server/node';
import { endpoints } from '@mkt/sdk/contract';
import { seedNames, serveCommand } from '@mkt/server/node';
import type { Command as Parser } from 'commander';
import { fieldNames } from '../../api/field-flags.js';
import { type Argument, type Command, isGroup } from '../../context/command.js';
import { type Flag, globalFlags } from '../../context/flags.js';
import { type CodeKind, codesByName } from '../../fields/codes.js';
import { flagsOf } from '../../fields/flags-of.js';
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
  /** Codes with their names, in the order of the names. */
  readonly codes: Readonly<Record<CodeKind, readonly (readonly [code: string, name: string])[]>>;
}

const streams = { stdout: process.stdout, stderr: process.stderr };

/** A flag with what completes its value; a boolean is two switches. */
function flagSpecs(flag: Flag, { prints, computed = [] }: Partial<Command> = {}): readonly Flag[] {
  const { name, kind, filter, codes } = flag;
  if (kind === 'boolean')
    return [
      { ...flag, kind: 'switch' },
      { name: `no-${name}`, kind: 'switch', description: `Turn off --${name}` },
    ];
  const recorded = name === 'field' ? [...new Set(['campaign', 'collab'].flatMap(fieldNames))] : undefined;
  const printed = prints && (name === 'sort' || name === 'fields') ? [...fieldNames(prints), ...computed] : undefined;
  const fields = recorded ?? printed;
  const { choices = filter?.known ?? flag.known ?? fields, ...rest } = flag;
  const completes = flag.completes ?? (choices ? { choices } : codes && { codes });
  if (completes !== undefined) return [{ ...rest, completes }];
  return [kind === 'path' ? { ...rest, completes: { from: 'files' } } : rest];
}

function serverSpec(parser: Parser): Pick<CommandSpec, 'flags' | 'commands'> {
  const flags = parser.options
    .filter(({ hidden, long }) => !hidden && long)
    .map(({ long = '', short, description, flags, argChoices, required, optional }): Flag => {
      const name = long.replace(/^--/, '');
      const choices = argChoices && { choices: argChoices };
      const seeds = name === 'seed' ? { choices: seedNames, orFile: true } : undefined;
      const completes = choices ?? seeds ?? (/file|path/i.test(flags) ? ({ from: 'files' } as const) : undefined);
      return {
        name,
        ...(short && { short: short.replace(/^-/, '') }),
        kind: required || optional ? 'text' : 'switch',
        description,
        ...(completes && { completes }),
      };
    });
  const commands = parser.commands.map((inner) => ({
    name: inner.name(),
    summary: inner.description(),
    passThrough: true,
    ...serverSpec(inner),
  }));
  return { flags, ...(commands.length > 0 && { commands }) };
}

/** An action is possible in some states only. */
function argsOf({ name, args = [] }: Command, group: string): readonly Argument[] {
  const from = endpoints.find(({ operation }) => operation === `${group}.${name}`)?.transition?.from;
  return from === undefined
    ? args
    : args.map((each) => ({ ...each, completes: { listed: group, names: 'typed', states: from } }));
}

/** `mkt serve`, or `mkt twin serve` with a file before the flags. */
function server(group: string): Partial<CommandSpec> {
  const spec = serverSpec(serveCommand('serve', { ...streams, addition: controlAddition }));
  if (group === '') return spec;
  const { flags = [] } = spec;
  const file: Argument = { name: 'file', description: 'The copy', completes: { from: 'files' } };
  return { flags, args: [file] };
}

async function commandSpec(command: Command, group = ''): Promise<CommandSpec> {
  const { name, aliases, summary, passThrough, prints } = command;
  // The values of --fields are the fields of the command.
  const more: readonly Flag[] = prints ? globalFlags.filter(({ name }) => name === 'fields') : [];
  const flags = [...(await flagsOf(command)), ...more].filter(({ hidden }) => hidden !== true);
  const specs = flags.flatMap((flag) => flagSpecs(flag, command));
  return {
    name,
    summary,
    ...(aliases && { aliases }),
    ...(passThrough && { passThrough }),
    args: argsOf(command, group),
    flags: specs,
    ...(name === 'serve' && server(group)),
  };
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
  codes: { country: codesByName('country'), currency: codesByName('currency') },
});
