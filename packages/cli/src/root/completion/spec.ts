import { fieldNames, valuesOf } from '../../api/field-flags.js';
import { type Command, type CommandNode, type Completes, type Flag, isGroup } from '../../context/command.js';
import { globalFlags } from '../../context/global-flags.js';
import { flagsOf } from '../../shared/fields/flags-of.js';
import { commands } from '../commands.js';
import { topics } from '../help/topics.js';

export interface FlagSpec {
  readonly name: string;
  readonly short?: string | undefined;
  readonly about: string;
  readonly takesValue: boolean;
  readonly completes?: Completes | undefined;
  /** Several values with commas. */
  readonly list?: boolean;
  readonly repeatable?: boolean | undefined;
}

export interface CommandSpec {
  readonly name: string;
  readonly aliases?: readonly string[] | undefined;
  readonly about: string;
  /** Of a group. */
  readonly commands?: readonly CommandSpec[];
  readonly args?: readonly { readonly variadic?: boolean | undefined; readonly completes?: Completes | undefined }[];
  readonly flags?: readonly FlagSpec[];
  /** Whether the words after it are not ours. */
  readonly passThrough?: boolean | undefined;
}

/** What completion knows without loading a command; the build writes it to a file. */
export interface Spec {
  readonly flags: readonly FlagSpec[];
  readonly commands: readonly CommandSpec[];
  readonly topics: readonly string[];
}

function completesOf(flag: Flag, { prints }: Partial<Command>, fields: readonly string[]): Completes | undefined {
  if (flag.completes !== undefined) return flag.completes;
  if (flag.choices !== undefined) return { choices: flag.choices };
  if (flag.kind === 'path') return { from: 'files' };
  if (flag.name === 'sort' && fields.length > 0) return { choices: fields };
  const choices = flag.filter && prints ? valuesOf(prints, flag.filter.field) : undefined;
  return choices && { choices };
}

function flagSpecs(flag: Flag, command: Partial<Command> = {}, fields: readonly string[] = []): FlagSpec[] {
  const { name, short, kind, description: about, repeatable } = flag;
  const spec = { name, short, about, takesValue: false };
  if (kind === 'boolean') return [spec, { name: `no-${name}`, about: `Not: ${about}`, takesValue: false }];
  if (kind === 'switch') return [spec];
  const completes = completesOf(flag, command, fields);
  return [{ ...spec, takesValue: true, completes, list: kind === 'list', repeatable }];
}

async function commandSpec(command: Command): Promise<CommandSpec> {
  const { name, aliases, summary: about, args = [], passThrough, prints } = command;
  const fields = prints ? fieldNames(prints) : [];
  const flags = (await flagsOf(command)).filter(({ hidden }) => hidden !== true);
  const fieldsFlag = { ...globalFlags.find((flag) => flag.name === 'fields'), completes: { choices: fields } } as Flag;
  return {
    name,
    aliases,
    about,
    passThrough,
    args: args.map(({ variadic, completes }) => ({ variadic, completes })),
    flags: [...flags, ...(fields.length === 0 ? [] : [fieldsFlag])].flatMap((flag) => flagSpecs(flag, command, fields)),
  };
}

const nodeSpec = async (node: CommandNode): Promise<CommandSpec> =>
  isGroup(node)
    ? {
        name: node.name,
        aliases: node.aliases,
        about: node.summary,
        commands: await Promise.all(node.commands.map(commandSpec)),
      }
    : commandSpec(node);

/** Completion data, from the definitions of the commands and the contract. */
export const makeSpec = async (): Promise<Spec> => ({
  flags: [
    ...globalFlags.flatMap((flag) => flagSpecs(flag)),
    { name: 'help', short: 'h', about: 'Help for the command', takesValue: false },
  ],
  commands: await Promise.all(commands.map(nodeSpec)),
  topics: topics.map(({ name }) => name),
});
