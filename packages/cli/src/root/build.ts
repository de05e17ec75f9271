import { Option, Command as Parser } from 'commander';
import { version } from '../../package.json';
import type { Command, CommandNode, Flag, Invocation } from '../context/command.js';
import { isGroup } from '../context/command.js';
import { globalFlags } from '../context/global-flags.js';
import { parseValue } from './parse-values.js';

/** How commander writes a flag. */
const spelling = ({ name, short, kind, value }: Flag): string =>
  `${short ? `-${short}, ` : ''}--${name}${kind === 'switch' || kind === 'boolean' ? '' : ` <${value ?? 'value'}>`}`;

function addFlag(parser: Parser, flag: Flag): void {
  const option = new Option(spelling(flag), flag.description);
  if (flag.kind !== 'switch' && flag.kind !== 'boolean') {
    option.argParser((text: string, previous: unknown) => parseValue(flag, text, previous));
  }
  // Kept under the flag's own name: commander would store --no-input and --input FILE in one place.
  option.attributeName = () => flag.name;
  parser.addOption(option.hideHelp(flag.hidden === true));
  if (flag.kind !== 'boolean') return;
  const negative = new Option(`--no-${flag.name}`);
  negative.attributeName = () => flag.name;
  parser.addOption(negative);
}

/** What may stand at every level of the line. */
function addGlobalFlags(parser: Parser): void {
  for (const flag of globalFlags) addFlag(parser, flag);
  parser.version(version);
}

/** What was given for each flag, by the flag's own name; to commander `--no-header` is a false. */
function valuesOf(flags: readonly Flag[], parsed: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, kind } of flags) {
    const value = parsed[name];
    if (kind === 'switch' && name.startsWith('no-')) {
      if (value === false) values[name] = true;
    } else if (value !== undefined) values[name] = value;
  }
  return values;
}

export interface Parsed extends Invocation {
  readonly global: Record<string, unknown>;
}

interface Options {
  readonly argv: readonly string[];
  /** Flags of a leaf, those that follow from the contract included. */
  readonly flagsOf: (leaf: Command) => readonly Flag[];
  readonly onHelp: (path: readonly CommandNode[]) => void;
  readonly onLeaf: (parsed: Parsed) => void;
}

/** Whether the line can mean this command. */
const isNamed = ({ name, aliases = [] }: CommandNode, { argv }: Options): boolean =>
  [name, ...aliases].some((each) => argv.includes(each));

/** Help is written by us, once its details are there: commander only says whose is wanted. */
function helpIs(parser: Parser, path: readonly CommandNode[], { onHelp }: Options): Parser {
  parser.helpInformation = () => {
    onHelp(path);
    return '';
  };
  return parser;
}

function addLeaf(parent: Parser, above: readonly CommandNode[], leaf: Command, options: Options): void {
  const parser = parent.command(leaf.name);
  const path = [...above, leaf];
  parser.summary(leaf.summary).aliases([...(leaf.aliases ?? [])]);
  // What is too much is told with its own words, once all is read.
  helpIs(parser, path, options).allowExcessArguments();
  for (const { name, required, variadic, description } of leaf.args ?? []) {
    const inner = variadic === true ? `${name}...` : name;
    parser.argument(required ? `<${inner}>` : `[${inner}]`, description);
  }
  // Each flag is dozens of objects, and a program has hundreds: only a leaf that the line can mean gets its own.
  const flags = isNamed(leaf, options) ? options.flagsOf(leaf) : [];
  for (const flag of flags) addFlag(parser, flag);
  if (isNamed(leaf, options)) addGlobalFlags(parser);
  parser.action(() => {
    const global: Record<string, unknown> = {};
    for (let level: Parser | null = parser; level !== null; level = level.parent) {
      const before = valuesOf(globalFlags, level.opts());
      for (const [name, value] of Object.entries(before)) global[name] ??= value;
    }
    options.onLeaf({
      command: leaf,
      path: path.map(({ name }) => name).join(' '),
      args: parser.args,
      flags: valuesOf(flags, parser.opts()),
      global,
    });
  });
}

/**
 * The parser for one command line. Only what the line names is built in full; everything else is a name and a summary,
 * for "did you mean".
 */
export function buildParser(commands: readonly CommandNode[], options: Options): Parser {
  const program = helpIs(new Parser('mkt'), [], options)
    // Each level reads its own flags: the program must not take the `-v` of `--sort -view_count` for itself.
    .enablePositionalOptions()
    .exitOverride()
    .helpCommand(false)
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined, outputError: () => undefined });
  addGlobalFlags(program);
  for (const command of commands) {
    if (!isGroup(command)) {
      addLeaf(program, [], command, options);
      continue;
    }
    const parser = helpIs(program.command(command.name), [command], options).helpCommand(false);
    parser.summary(command.summary).aliases([...(command.aliases ?? [])]);
    if (!isNamed(command, options)) continue;
    addGlobalFlags(parser);
    for (const leaf of command.commands) addLeaf(parser, [command], leaf, options);
  }
  return program;
}
