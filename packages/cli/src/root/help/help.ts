import { type Argument, Help, type Option, type Command as Parser } from 'commander';
import { version } from '../../../package.json';
import { type Command, type Example, type Flag, isGroup } from '../../context/command.js';
import { globalFlags } from '../../context/global-flags.js';
import type { Io } from '../../io/io.js';
import { FlagOption, nodes, pathOf } from '../parser.js';
import type { Topic } from './topics.js';

/** `--[no-]name`, and values as the docs write them. */
const spelled = ({ name, short, value = '', kind }: Flag): string => {
  const long = kind === 'boolean' ? `--[no-]${name}` : `--${name}`;
  const takesValue = kind !== 'switch' && kind !== 'boolean';
  return `${short === undefined ? '    ' : `-${short}, `}${long}${takesValue ? ` ${value}` : ''}`;
};

/** commander's help, which also fits narrow terminals. */
export class MktHelp extends Help {
  constructor({ stdout }: Io) {
    super();
    this.helpWidth = Math.min(stdout.isTTY ? stdout.columns : 80, 100);
    this.minWidthToWrap = 20;
  }

  override commandUsage(parser: Parser): string {
    return this.boxWrap(`${pathOf(parser)} ${parser.usage()}`.trim(), (this.helpWidth ?? 80) - 'Usage: '.length);
  }

  override argumentTerm(argument: Argument): string {
    const inner = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${inner}>` : `[${inner}]`;
  }

  override subcommandTerm(parser: Parser): string {
    // The program lists many commands: their arguments are in their own help.
    const args = parser.parent?.parent === null ? [] : parser.registeredArguments;
    return [parser.name(), ...args.map((argument) => this.argumentTerm(argument))].join(' ');
  }

  override optionTerm(option: Option): string {
    return option instanceof FlagOption ? spelled(option.flag) : `${option.short}, ${option.long}`;
  }

  override styleTitle(title: string): string {
    return title === 'Usage:' ? title : title.replace(/:$/, '').replace('Options', 'Flags');
  }

  override padWidth(parser: Parser, helper: Help): number {
    return Math.min(28, super.padWidth(parser, helper));
  }

  /** A description that has no room beside its term goes below it. */
  override formatItem(term: string, termWidth: number, description: string, helper: Help): string {
    const width = this.helpWidth ?? 80;
    const room = width - termWidth - 4;
    if (room < 32)
      return `${indent(helper.boxWrap(term.trim(), width - 2), 2)}\n${indent(helper.boxWrap(description, width - 6), 6)}`;
    if (term.length <= termWidth) return super.formatItem(term, termWidth, description, helper);
    return `  ${term}\n${indent(helper.boxWrap(description, room), termWidth + 4)}`;
  }

  /** A section of sentences, or of anything else that is wrapped. */
  text(title: string, paragraphs: readonly string[]): string {
    const wrapped = paragraphs.map((text) => indent(this.boxWrap(text, (this.helpWidth ?? 80) - 2), 2));
    return wrapped.length === 0 ? '' : `\n${title}\n${wrapped.join('\n')}\n`;
  }

  /** A section of terms with descriptions. */
  items(title: string, entries: readonly (readonly [string, string])[]): string {
    const termWidth = Math.min(28, Math.max(0, ...entries.map(([term]) => term.length)));
    const lines = entries.map(([term, about]) => this.formatItem(term, termWidth, about, this));
    return lines.length === 0 ? '' : `\n${title}\n${lines.join('\n')}\n`;
  }
}

const indent = (text: string, width: number): string => text.replace(/^(?=.)/gm, ' '.repeat(width));

/** Lines to copy, which are never wrapped. */
const verbatim = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `\n${title}\n${indent(lines.join('\n'), 2)}\n`;

/** The sections of a topic. */
export const topicText = ({ sections }: Topic, help: MktHelp): string =>
  sections
    .map(({ title, text = [], entries = [], lines = [] }) => {
      const parts = [help.text(title, text), help.items(title, entries), verbatim(title, lines)];
      // The title is said once, before the first part.
      return parts
        .filter((part) => part !== '')
        .map((part, index) => (index === 0 ? part : part.slice(title.length + 2)))
        .join('');
    })
    .join('');

/** Comments go behind the lines if all of them have room there. */
function exampleLines(examples: readonly Example[], width: number): string[] {
  const behind = examples.map(({ line, about }) => (about === undefined ? line : `${line}  # ${about}`));
  if (behind.every((text) => text.length + 2 <= width)) return behind;
  return examples.flatMap(({ line, about }) => [...(about === undefined ? [] : [`# ${about}`]), line]);
}

/** The fields of what a command prints, for --fields. */
async function fieldsPrinted({ prints }: Command): Promise<readonly string[]> {
  return prints ? (await import('../../api/field-flags.js')).fieldNames(prints) : [];
}

async function afterCommand(command: Command, help: MktHelp): Promise<string> {
  const { examples, sample, notes = [] } = command;
  return [
    verbatim('Examples', exampleLines(examples, help.helpWidth ?? 80)),
    verbatim(sample?.name ?? '', sample?.lines ?? []),
    help.text('Notes', notes),
    help.text('Fields for --fields', [(await fieldsPrinted(command)).join(', ')].filter(Boolean)),
  ].join('');
}

const globalNames = (help: MktHelp): string =>
  help.text('Flags of every command (see mkt --help)', [globalFlags.map(({ name }) => `--${name}`).join(' ')]);

const aliasLine = (aliases: readonly string[] = []): string =>
  aliases.length === 0 ? '' : `\nAlso: ${aliases.join(', ')}\n`;

const line = (help: MktHelp, text: string): string => `${help.boxWrap(text, help.helpWidth ?? 80)}\n`;

const programEnd = (help: MktHelp): string =>
  [
    verbatim('First steps', [
      'mkt login --base-url https://api.example.com',
      'mkt organizations list',
      'mkt campaigns list',
      'mkt demo                   a tour on this machine, with demo data',
    ]),
    help.items('Flags of every command', [
      ...globalFlags.map((flag: Flag) => [spelled(flag), flag.description] as const),
      ['-h, --help', 'Help for the command'],
      ['-V, --version', 'The version'],
    ]),
    '\n',
    line(help, `mkt ${version}. Exit codes: mkt help exit-codes`),
    line(help, 'More about one: mkt campaigns --help, mkt campaigns create --help'),
  ].join('');

/** The help of a command without what every command has. */
export async function commandBody(parser: Parser, command: Command, help: MktHelp): Promise<string> {
  const terms = parser.registeredArguments.map((argument) => help.argumentTerm(argument));
  parser.usage([...terms, ...(help.visibleOptions(parser).length > 0 ? ['[flags]'] : [])].join(' '));
  return help.formatHelp(parser, help) + (await afterCommand(command, help));
}

/** The help of the program, a group or a command. */
export async function helpFor(parser: Parser, io: Io): Promise<string> {
  const help = new MktHelp(io);
  const node = nodes.get(parser);
  if (node === undefined) return help.formatHelp(parser, help) + programEnd(help);
  if (!isGroup(node)) return (await commandBody(parser, node, help)) + globalNames(help) + aliasLine(node.aliases);
  const { topics } = await import('./topics.js');
  const topic = topics.find(({ name }) => name === node.name);
  return [
    help.formatHelp(parser, help),
    topic === undefined ? '' : topicText(topic, help),
    aliasLine(node.aliases),
    '\n',
    line(help, `More about one: mkt ${node.name} ${node.commands[0]?.name ?? ''} --help`),
  ].join('');
}
