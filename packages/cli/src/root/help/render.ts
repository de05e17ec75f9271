import { version } from '../../../package.json';
import {
  type Argument,
  type Command,
  type CommandNode,
  type Example,
  type Flag,
  isGroup,
} from '../../context/command.js';
import { globalFlags } from '../../context/global-flags.js';
import type { Details } from './details.js';
import { columns, type Entry, section, wrapWords } from './layout.js';

export interface HelpRequest {
  /** From the program down: none, a group, a group and a leaf. */
  readonly path: readonly CommandNode[];
  readonly commands: readonly CommandNode[];
  readonly details: Details;
  readonly width: number;
  /** Of a group that is a topic too: its lines. */
  readonly more?: (width: number) => readonly string[];
}

const spelled = ({ name, short, value, kind }: Flag): string => {
  const long = kind === 'boolean' ? `--[no-]${name}` : `--${name}`;
  return `${short === undefined ? '    ' : `-${short}, `}${long}${value === undefined || kind === 'switch' || kind === 'boolean' ? '' : ` ${value}`}`;
};

const flagEntries = (flags: readonly Flag[]): Entry[] =>
  flags
    .filter(({ hidden }) => hidden !== true)
    .map((flag) => [spelled(flag), `${flag.description}${flag.required === true ? ' (required)' : ''}`]);

const argumentText = ({ name, required, variadic }: Argument): string => {
  const inner = variadic === true ? `${name}...` : name;
  return required ? `<${inner}>` : `[${inner}]`;
};

/** Examples are there to be copied, so no line is broken. What they are about stands behind them where all have room. */
function exampleLines(examples: readonly Example[], width: number): string[] {
  const behind = examples.map(({ line, about }) => `  ${line}${about === undefined ? '' : `  # ${about}`}`);
  if (behind.every((text) => text.length <= width)) return behind;
  return examples.flatMap(({ line, about }) => [...(about === undefined ? [] : [`  # ${about}`]), `  ${line}`]);
}

/** The file that the examples read: whoever has none yet begins with this one. */
const sampleLines = ({ sample }: Command): string[] =>
  sample === undefined
    ? []
    : section(
        sample.name,
        sample.lines.map((line) => `  ${line}`),
      );

/** Names alone: every command has them, and a screen has 24 lines. */
const globalFlagNames = (width: number): string[] =>
  wrapWords(globalFlags.map(({ name }) => `--${name}`).join(' '), width - 2).map((line) => `  ${line}`);

/** What is said of one command alone. */
export function leafBody(path: string, leaf: Command, { flags, fields }: Details, width: number): string[] {
  const usage = ['mkt', path, ...(leaf.args ?? []).map(argumentText), ...(flags.length > 0 ? ['[flags]'] : [])].join(
    ' ',
  );
  return [
    ...wrapWords(`${leaf.summary}.`, width),
    '',
    ...wrapWords(`Usage: ${usage}`, width),
    ...section('Examples', exampleLines(leaf.examples, width)),
    ...sampleLines(leaf),
    ...section(
      'Arguments',
      columns(
        (leaf.args ?? []).map((argument): Entry => [argumentText(argument), argument.description]),
        width,
      ),
    ),
    ...section('Flags', flags.length === 0 ? [] : columns(flagEntries(flags), width)),
    ...section(
      'Notes',
      (leaf.notes ?? []).flatMap((note) => wrapWords(note, width - 2).map((line) => `  ${line}`)),
    ),
    ...section(
      'Fields for --fields',
      fields.length === 0 ? [] : wrapWords(fields.join(', '), width - 2).map((line) => `  ${line}`),
    ),
  ];
}

function leafHelp(path: string, leaf: Command, { details, width }: HelpRequest): string[] {
  return [
    ...leafBody(path, leaf, details, width),
    ...section('Flags of every command (see mkt --help)', globalFlagNames(width)),
    ...(leaf.aliases === undefined ? [] : ['', `Also: ${leaf.aliases.join(', ')}`]),
  ];
}

const commandEntries = (commands: readonly CommandNode[]): Entry[] =>
  commands.map((command) => [command.name, command.summary]);

function groupHelp(
  name: string,
  summary: string,
  commands: readonly Command[],
  aliases: readonly string[] | undefined,
  { width, more }: HelpRequest,
): string[] {
  const entries = commands.map(
    (leaf): Entry => [[leaf.name, ...(leaf.args ?? []).map(argumentText)].join(' '), leaf.summary],
  );
  return [
    ...wrapWords(`${summary}.`, width),
    '',
    ...wrapWords(`Usage: mkt ${name} <command> [flags]`, width),
    ...section('Commands', columns(entries, width)),
    ...(more?.(width) ?? []),
    '',
    ...(aliases === undefined ? [] : [`Also: ${aliases.join(', ')}`]),
    ...wrapWords(`More about one: mkt ${name} ${commands[0]?.name ?? ''} --help`, width),
  ];
}

function programHelp({ commands, width }: HelpRequest): string[] {
  return [
    ...wrapWords('The Brand and Creator Marketplace at the command line.', width),
    '',
    'Usage: mkt <command> [flags]',
    ...section('First steps', [
      '  mkt login --base-url https://api.example.com',
      '  mkt organizations list',
      '  mkt campaigns list',
      '  mkt demo                   a tour on this machine, with demo data',
    ]),
    ...section('Commands', columns(commandEntries(commands), width)),
    ...section(
      'Flags of every command',
      columns(
        [...flagEntries(globalFlags), ['-h, --help', 'Help for the command'], ['-V, --version', 'The version']],
        width,
      ),
    ),
    '',
    ...wrapWords(`mkt ${version}. Exit codes: mkt help exit-codes`, width),
    ...wrapWords('More about one: mkt campaigns --help, mkt campaigns create --help', width),
  ];
}

/** The help of the program, of a group or of a command, written from its data. */
export function renderHelp(request: HelpRequest): string {
  const last = request.path.at(-1);
  const path = request.path.map(({ name }) => name).join(' ');
  const lines =
    last === undefined
      ? programHelp(request)
      : isGroup(last)
        ? groupHelp(path, last.summary, last.commands, last.aliases, request)
        : leafHelp(path, last, request);
  return `${lines.join('\n')}\n`;
}
