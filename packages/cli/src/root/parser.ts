import { Option, Command as Parser } from 'commander';
import { version } from '../../package.json';
import { type Command, type CommandNode, type Elsewhere, isGroup } from '../context/command.js';
import { type Flag, type GlobalOptions, globalFlags } from '../context/flags.js';
import { type Hint, toType, usageError } from '../errors/cli-error.js';
import { flagsOf } from '../fields/flags-of.js';
import { duration } from '../fields/past-time.js';
import { didYouMean, nearest } from '../text/nearest.js';

const oneOf = (text: string, flag: Flag): string => {
  const { choices } = flag;
  if (choices === undefined || choices.includes(text)) return text;
  const question = didYouMean(nearest(text, choices));
  throw usageError(
    (named) => `${named(flag.name)} takes one of ${choices.join(', ')}, not "${text}".${question}`,
    ...(flag.name === 'format' && text === 'xlsx' ? [toType('--out FILE.xlsx', 'To write a workbook')] : []),
  );
};

/** Clears a field. An empty value does not, because it is usually a variable that was not set: `--countries "$COUNTRIES"`. */
const NONE = 'none';

/**
 * The value of a flag from its text; `previous` is the value of an earlier flag of the same name.
 * @throws a usage error if the flag does not accept it
 */
function parseValue(flag: Flag, text: string, previous: unknown): unknown {
  const { name, clearable, kind } = flag;
  if ((kind === 'list' ? text.replaceAll(',', '') : text).trim() === '')
    throw usageError(
      (named) => `${named(name)} is empty.`,
      ...(clearable ? [toType(`--${name} ${NONE}`, 'To clear it')] : []),
    );
  const earlier: unknown[] = Array.isArray(previous) ? previous : [];
  if (clearable && text.trim().toLowerCase() === NONE) return kind === 'list' ? [] : null;
  switch (kind) {
    case 'integer': {
      const value = Number(text);
      if (/^-?\d+$/.test(text.trim()) && Number.isSafeInteger(value)) return value;
      throw usageError((named) => `${named(name)} takes a whole number, not "${text}".`);
    }
    case 'seconds':
      return duration(name, text, 's');
    case 'list': {
      const values = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [oneOf(part.trim(), flag)]));
      return [...earlier, ...values];
    }
    case 'text':
    case 'path': {
      const value = oneOf(text, flag);
      return flag.repeatable === true ? [...earlier, value] : value;
    }
    case 'switch':
    case 'boolean':
      throw new Error(`--${name} takes no value.`);
  }
}

/** Thrown instead of printing commander's help, because ours is asynchronous: it loads the contract. */
export class HelpRequested extends Error {
  constructor(readonly parser: Parser) {
    super('Help was requested.');
  }
}

/** The methods without types are what commander calls for a line that it cannot read. Its messages are not used. */
class MktParser extends Parser {
  override createCommand(name?: string): MktParser {
    return new MktParser(name);
  }
  override outputHelp(): never {
    throw new HelpRequested(this);
  }
  missingArgument(name: string): never {
    const missing = this.registeredArguments[this.args.length];
    const description = missing ? ` ${missing.description}.` : '';
    throw usageError(`Missing required argument "${name}".${description}`, helpHint(this));
  }
  optionMissingArgument({ long, flag: { value = 'value' } }: FlagOption): never {
    throw usageError(`${long} needs a value: ${long} ${value}.`, helpHint(this));
  }
  unknownOption(flag: string): void {
    const node = nodes.get(this);
    if (node === undefined || isGroup(node) || node.passThrough !== true) throw unknownOption(flag, node, this);
  }
  unknownCommand(): never {
    throw unknownCommand(this);
  }
}

/** A flag as a commander option. */
export class FlagOption extends Option {
  readonly flag: Flag;

  constructor(flag: Flag) {
    const { name, short, kind, value = 'value', description, required } = flag;
    const takesValue = kind !== 'switch' && kind !== 'boolean';
    super(
      `${short ? `-${short}, ` : ''}--${name}${takesValue ? ` <${value}>` : ''}`,
      required ? `${description} (required)` : description,
    );
    this.flag = flag;
    if (takesValue) this.argParser((text: string, previous: unknown) => parseValue(flag, text, previous));
  }

  // commander would store --no-input and --input FILE under one name.
  override attributeName(): string {
    return this.flag.name;
  }
}

function addFlags(parser: Parser, flags: readonly Flag[], hidden: boolean): void {
  for (const flag of flags) {
    parser.addOption(new FlagOption(flag).hideHelp(hidden || flag.hidden === true));
    if (flag.kind !== 'boolean') continue;
    const negative = new FlagOption({ ...flag, name: `no-${flag.name}` }).hideHelp();
    negative.attributeName = () => flag.name;
    parser.addOption(negative);
  }
}

/** The given values by flag name; commander stores --no-header as false. */
function valuesOf(flags: readonly Flag[], parser: Parser): Record<string, unknown> {
  const given = flags.filter(({ name }) => parser.getOptionValueSource(name) === 'cli');
  return Object.fromEntries(
    given.map(({ name, kind }) => [name, kind === 'switch' ? true : (parser.getOptionValue(name) as unknown)]),
  );
}

/** The global flags that the parser has: a command may have a flag of the same name. */
const globalFlagsOf = (parser: Parser): Flag[] => {
  const own = ownFlags(parser).map(({ name }) => name);
  return globalFlags.filter(({ name }) => !own.includes(name));
};

const ownFlags = (parser: Parser): Flag[] =>
  parser.options.flatMap((option) =>
    option instanceof FlagOption && !globalFlags.some((known) => known === option.flag) ? [option.flag] : [],
  );

/** One parsed command line. */
export interface Parsed {
  readonly command: Command;
  readonly path: string;
  readonly args: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
  readonly global: GlobalOptions;
}

export type Execute = (parsed: Parsed) => Promise<void>;

/** The command of each parser; the program has none. */
export const nodes = new WeakMap<Parser, CommandNode>();

export const pathOf = (parser: Parser): string =>
  parser.parent === null ? parser.name() : `${pathOf(parser.parent)} ${parser.name()}`;

/** The values of global flags, which every level of the command line accepts; the last one wins. */
const globalValues = (parser: Parser): GlobalOptions => ({
  ...(parser.parent === null ? {} : globalValues(parser.parent)),
  ...valuesOf(globalFlagsOf(parser), parser),
});

const addVersion = (parser: Parser): void => {
  parser.version(version);
  parser.options.at(-1)?.hideHelp();
};

/**
 * Adds the flags of a command, some of them from the contract, or the commands of a group. commander calls it when it
 * reaches the parser: building all parsers would take longer than most commands.
 */
export async function expand(parser: Parser, execute: Execute): Promise<void> {
  const node = nodes.get(parser);
  if (parser.options.length > 0 || node === undefined) return;
  if (isGroup(node)) for (const command of node.commands()) addNode(parser, command, execute);
  else if (node.passThrough === true) return;
  else addFlags(parser, await flagsOf(node), false);
  addFlags(parser, globalFlagsOf(parser), true);
  addVersion(parser);
}

function addNode(parent: Parser, node: CommandNode, execute: Execute): void {
  const parser = parent.command(node.name);
  nodes.set(parser, node);
  parser
    .description(node.summary)
    .aliases([...(node.aliases ?? [])])
    .helpCommand(false)
    .hook('preSubcommand', (_parser, inner) => expand(inner, execute));
  if (isGroup(node)) {
    parser.usage('<command> [flags]');
    return;
  }
  // Excess arguments get an error message of our own.
  parser.allowExcessArguments();
  if (node.passThrough === true) parser.helpOption(false).allowUnknownOption().passThroughOptions();
  for (const { name, required, variadic, description } of node.args ?? []) {
    const inner = variadic === true ? `${name}...` : name;
    parser.argument(required ? `<${inner}>` : `[${inner}]`, description);
  }
  parser.action(() =>
    execute({
      command: node,
      path: pathOf(parser).slice('mkt '.length),
      args: parser.args,
      flags: valuesOf(ownFlags(parser), parser),
      global: globalValues(parser),
    }),
  );
}

/** Commands and options as other tools call them. */
const synonyms = new Map(
  Object.entries({
    ...{ add: 'create', new: 'create', rm: 'delete', remove: 'delete', stop: 'pause', ls: 'list' },
    ...{ '-o': 'format', '--output': 'format', '--title': 'name' },
  }),
);

/** The command of a group that the user probably meant. */
function commandMeant(word: string, parser: Parser): string | undefined {
  const node = nodes.get(parser);
  const name = synonyms.get(word) ?? word;
  const other = node !== undefined && isGroup(node) ? Object.entries(node.mistaken ?? {}) : [];
  return (
    other.find(([wrong]) => wrong === name)?.[1] ?? parser.commands.find((command) => command.name() === name)?.name()
  );
}

function commandsInGroups(word: string, next: string | undefined, program: Parser): Hint[] {
  const name = synonyms.get(word) ?? word;
  const groups = program.commands.filter((group) => {
    const node = nodes.get(group);
    if (node === undefined || !isGroup(node)) return false;
    return node.commands().some((command) => [command.name, ...(command.aliases ?? [])].includes(name));
  });
  const named = groups.filter((group) => next !== undefined && [group.name(), ...group.aliases()].includes(next));
  return (named.length > 0 ? named : groups).map((group) => toType(`mkt ${group.name()} ${name}`));
}

/** What users look for in a command of its own. */
const everywhere: readonly Elsewhere[] = [
  { words: ['signup', 'register'], sentence: 'Accounts are created on the website.', command: 'mkt open' },
  {
    words: ['billing', 'invoices', 'payments', 'payouts'],
    sentence: 'Payments are on the website.',
    command: 'mkt open',
  },
  { words: ['submissions', 'creators'], sentence: 'Submissions are on the website.', command: 'mkt open' },
];

/** Where something is done that the API does not offer. */
function placeElsewhere(word: string, parser: Parser): Elsewhere | undefined {
  const groups = parser.parent === null ? parser.commands : [parser];
  const known = groups.flatMap((each) => {
    const node = nodes.get(each);
    return node !== undefined && isGroup(node) ? (node.elsewhere ?? []) : [];
  });
  return [...known, ...(parser.parent === null ? everywhere : [])].find(({ words }) => words.includes(word));
}

const helpHint = (parser: Parser): Hint => toType(`${pathOf(parser)} --help`);

function unknownOption(flag: string, node: CommandNode | undefined, parser: Parser): Error {
  const [given = flag] = flag.split('=', 1);
  const elsewhere = parser.parent === null ? undefined : placeElsewhere(given.slice(2), parser.parent);
  if (elsewhere !== undefined)
    return usageError(`Unknown option "${given}". ${elsewhere.sentence}`, toType(elsewhere.command));
  if (parser.options.some(({ long }) => long === given))
    return usageError(`${given} takes no value.`, helpHint(parser));
  const instead = node === undefined || isGroup(node) ? undefined : node.insteadOf?.[given.slice(2)];
  if (instead !== undefined) return usageError(`Unknown option "${given}". ${instead}`, helpHint(parser));
  const own = parser.options.flatMap(({ hidden, long }) => (hidden || long == null ? [] : [long.slice(2)]));
  const known = [...own, ...globalFlags.map(({ name }) => name)];
  const meant = known.find((name) => name === synonyms.get(given)) ?? nearest(given.slice(2), known);
  return usageError(`Unknown option "${given}".${didYouMean(meant && `--${meant}`)}`, helpHint(parser));
}

function unknownCommand(parser: Parser): Error {
  const [word = '', next] = parser.args;
  const names = parser.commands.map((command) => command.name());
  if (word === 'help' && parser.parent !== null) {
    const named = parser.commands.find((command) => [command.name(), ...command.aliases()].includes(next ?? ''));
    if (named !== undefined || next === undefined) return new HelpRequested(named ?? parser);
    return usageError(`Unknown command "${next}".${didYouMean(nearest(next, names))}`, helpHint(parser));
  }
  const elsewhere = placeElsewhere(word, parser);
  if (elsewhere !== undefined) return usageError(elsewhere.sentence, toType(elsewhere.command));
  const meant = commandMeant(word, parser);
  const inGroups = meant === undefined && parser.parent === null ? commandsInGroups(word, next, parser) : [];
  if (inGroups.length > 0) return usageError(`Unknown command "${word}".`, ...inGroups);
  return usageError(`Unknown command "${word}".${didYouMean(meant ?? nearest(word, names))}`, helpHint(parser));
}

/** The parser of all commands. */
export function buildParser(commands: readonly CommandNode[], execute: Execute): Parser {
  const program = new MktParser('mkt')
    .description('The Brand and Creator Marketplace at the command line.')
    .usage('<command> [flags]')
    // Each level reads its own flags: the program must not take the -v of `--sort -view_count`.
    .enablePositionalOptions()
    .helpCommand(false)
    .addHelpOption(new Option('-h, --help').hideHelp())
    // The version and errors are written by the caller.
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined })
    .exitOverride()
    .hook('preSubcommand', (_parser, inner) => expand(inner, execute));
  addFlags(program, globalFlags, true);
  addVersion(program);
  for (const node of commands) addNode(program, node, execute);
  return program;
}
