import type { Option, Command as Parser } from 'commander';
import { version } from '../../../package.json';
import { type Command, type CommandGroup, type CommandNode, type Example, isGroup } from '../../context/command.js';
import { type Flag, globalFlags } from '../../context/flags.js';
import type { Io } from '../../io/io.js';
import { HelpLayout } from '../../output/help-layout.js';
import { FlagOption, nodes, pathOf } from '../parser.js';
import type { Topic, TopicSection } from './topics.js';

/** `--[no-]name`, and values as the docs write them. */
const spelled = ({ name, short, value = '', kind }: Flag): string => {
  const long = kind === 'boolean' ? `--[no-]${name}` : `--${name}`;
  const takesValue = kind !== 'switch' && kind !== 'boolean';
  return `${short === undefined ? '    ' : `-${short}, `}${long}${takesValue ? ` ${value}` : ''}`;
};

/** Help from the definitions of commands, and help topics. */
export class MktHelp extends HelpLayout {
  override commandUsage(parser: Parser): string {
    return this.boxWrap(`${pathOf(parser)} ${parser.usage()}`.trim(), this.helpWidth - 'Usage: '.length);
  }

  override subcommandTerm(parser: Parser): string {
    // The program lists many commands: their arguments are in their own help.
    const args = parser.parent?.parent === null ? [] : parser.registeredArguments;
    return [parser.name(), ...args.map((argument) => this.argumentTerm(argument))].join(' ');
  }

  override optionTerm(option: Option): string {
    return option instanceof FlagOption ? spelled(option.flag) : super.optionTerm(option);
  }

  /** A title with paragraphs, terms with descriptions, and lines to copy, which are never wrapped. */
  section(title: string, { text = [], entries = [], lines = [] }: Partial<TopicSection>): string {
    const termWidth = Math.min(28, Math.max(0, ...entries.map(([term]) => term.length)));
    const parts = [
      ...text.map((paragraph) => this.indented(paragraph, 2)),
      ...entries.map(([term, description]) => this.formatItem(term, termWidth, description, this)),
      ...lines.map((line) => `  ${line}`),
    ];
    return parts.length === 0 ? '' : `\n${title}\n${parts.join('\n')}\n`;
  }

  sections(topic: Topic): string {
    return topic.sections.map((section) => this.section(section.title, section)).join('');
  }

  paragraph(text: string): string {
    return `${this.boxWrap(text, this.helpWidth)}\n`;
  }
}

/** Comments follow their lines if all of them fit there. */
function exampleLines(examples: readonly Example[], width: number): string[] {
  const joined = examples.map(({ line, about }) => (about === undefined ? line : `${line}  # ${about}`));
  if (joined.every((text) => text.length + 2 <= width)) return joined;
  return examples.flatMap(({ line, about }) => (about === undefined ? [line] : [`# ${about}`, line]));
}

const aliasLine = ({ aliases = [] }: CommandNode): string =>
  aliases.length === 0 ? '' : `\nAlias: ${aliases.join(', ')}\n`;

/** The help of a command, without the parts that all commands share. */
async function commandHelp(parser: Parser, command: Command, help: MktHelp): Promise<string> {
  const { examples, sample, notes = [], prints, computed = [] } = command;
  const terms = parser.registeredArguments.map((argument) => help.argumentTerm(argument));
  // Without arguments, at least the flags of every command remain.
  const hasFlags = terms.length === 0 || help.visibleOptions(parser).length > 0;
  parser.usage([...terms, ...(hasFlags ? ['[flags]'] : [])].join(' '));
  const fields = prints ? (await import('../../api/field-flags.js')).fieldNames(prints).concat(computed) : [];
  return [
    help.formatHelp(parser, help),
    help.section('Examples', { lines: exampleLines(examples, help.helpWidth) }),
    sample ? help.section(sample.name, sample) : '',
    help.section('Notes', { text: notes }),
    help.section('Fields for --fields', { text: fields.length > 0 ? [fields.join(', ')] : [] }),
  ].join('');
}

const programHelp = (parser: Parser, help: MktHelp): string =>
  [
    help.formatHelp(parser, help),
    help.section('First steps', {
      lines: [
        'mkt login --base-url https://api.example.com',
        'mkt organizations list',
        'mkt campaigns list',
        'mkt demo                   a tour on this machine, with demo data',
      ],
    }),
    help.section('Global flags', {
      entries: [
        ...globalFlags.map((flag: Flag) => [spelled(flag), flag.description] as const),
        ['-h, --help', 'Help for the command'],
        ['-V, --version', 'Print the version'],
      ],
    }),
    '\n',
    help.paragraph(`mkt ${version}. Exit codes: mkt help exit-codes`),
    help.paragraph('More: mkt campaigns --help, mkt campaigns create --help'),
  ].join('');

async function groupHelp(parser: Parser, group: CommandGroup, help: MktHelp): Promise<string> {
  const { topics } = await import('./topics.js');
  const topic = topics.find(({ name }) => name === group.name);
  return [
    help.formatHelp(parser, help),
    topic === undefined ? '' : help.sections(topic),
    aliasLine(group),
    '\n',
    help.paragraph(`More: mkt ${group.name} ${group.commands()[0]?.name ?? ''} --help`),
  ].join('');
}

/** The help of the program, a group or a command. */
export async function helpFor(parser: Parser, io: Io): Promise<string> {
  const help = new MktHelp(io);
  const node = nodes.get(parser);
  if (node === undefined) return programHelp(parser, help);
  if (isGroup(node)) return groupHelp(parser, node, help);
  const globalNames = globalFlags.map(({ name }) => `--${name}`).join(' ');
  return [
    await commandHelp(parser, node, help),
    help.section('Global flags (see mkt --help)', { text: [globalNames] }),
    aliasLine(node),
  ].join('');
}
