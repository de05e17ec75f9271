import { Option, Command as Parser } from 'commander';
import type { Command, Flag, Invocation, Leaf } from '../commands/command.js';
import { isGroup } from '../commands/command.js';
import { globalFlags } from '../commands/global-flags.js';
import { parseValue } from './parse-values.js';

/** How commander writes a flag. */
const spelling = ({ name, short, kind, value }: Flag): string =>
  `${short ? `-${short}, ` : ''}--${name}${kind === 'switch' || kind === 'boolean' ? '' : ` <${value ?? 'value'}>`}`;

function addFlag(parser: Parser, flag: Flag): void {
  const option = new Option(spelling(flag), flag.description);
  if (flag.kind !== 'switch' && flag.kind !== 'boolean') {
    option.argParser((text: string, previous: unknown) => parseValue(flag, text, previous));
  }
  parser.addOption(option.hideHelp(flag.hidden === true));
  if (flag.kind === 'boolean') parser.addOption(new Option(`--no-${flag.name}`, ''));
}

const attribute = (name: string): string => name.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());

/** What was given for each flag, by the flag's own name; commander turns `--no-header` into `header: false`. */
export function valuesOf(flags: readonly Flag[], parsed: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { name, kind } of flags) {
    const negative = kind === 'switch' && name.startsWith('no-');
    const value = parsed[attribute(negative ? name.slice(3) : name)];
    if (negative) values[name] = value === false;
    else if (value !== undefined) values[name] = value;
  }
  return values;
}

export interface Parsed extends Invocation {
  readonly global: Record<string, unknown>;
}

interface Options {
  readonly argv: readonly string[];
  /** Flags of a leaf, those that follow from the contract included. */
  readonly flagsOf: (leaf: Leaf) => readonly Flag[];
  readonly help: (path: readonly Command[]) => string;
  readonly onText: (text: string) => void;
  readonly onLeaf: (parsed: Parsed) => void;
}

function addLeaf(parent: Parser, above: readonly Command[], leaf: Leaf, options: Options): void {
  const parser = parent.command(leaf.name);
  const path = [...above, leaf];
  parser.summary(leaf.summary).aliases([...(leaf.aliases ?? [])]);
  parser.helpInformation = () => options.help(path);
  for (const { name, required, variadic, description } of leaf.args ?? []) {
    const inner = variadic === true ? `${name}...` : name;
    parser.argument(required ? `<${inner}>` : `[${inner}]`, description);
  }
  const flags = options.flagsOf(leaf);
  for (const flag of flags) addFlag(parser, flag);
  parser.action(() => {
    const parsed: Record<string, unknown> = parser.optsWithGlobals();
    options.onLeaf({
      leaf,
      path: path.map(({ name }) => name).join(' '),
      args: parser.args,
      flags: valuesOf(flags, parsed),
      global: valuesOf(globalFlags, parsed),
    });
  });
}

/**
 * The parser for one command line. Only what the line names is built in full; everything else is a name and a summary,
 * for "did you mean".
 */
export function buildParser(commands: readonly Command[], options: Options): Parser {
  const settle = (parser: Parser, path: readonly Command[]): Parser => {
    parser.helpInformation = () => options.help(path);
    return parser;
  };
  const program = settle(new Parser('mkt'), [])
    .exitOverride()
    .helpCommand(false)
    .configureOutput({ writeOut: options.onText, writeErr: options.onText, outputError: () => undefined });
  for (const flag of globalFlags) addFlag(program, flag);
  const named = (command: Command): boolean =>
    [command.name, ...(command.aliases ?? [])].some((name) => options.argv.includes(name));
  for (const command of commands) {
    if (!isGroup(command)) {
      addLeaf(program, [], named(command) ? command : { ...command, args: [], flags: [] }, options);
      continue;
    }
    const parser = settle(program.command(command.name), [command]).helpCommand(false);
    parser.summary(command.summary).aliases([...(command.aliases ?? [])]);
    if (named(command)) for (const leaf of command.leaves) addLeaf(parser, [command], leaf, options);
  }
  return program;
}
