import { type CommandNode, isGroup } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { usageError } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';
import { nearest } from '../../text/nearest.js';
import { buildParser, expand, nodes, pathOf } from '../parser.js';
import { commandBody, helpFor, MktHelp, topicText } from './help.js';
import { type Topic, topics } from './topics.js';

const titled = ({ summary, ...topic }: Topic, help: MktHelp): string =>
  `${help.boxWrap(`${summary}.`, help.helpWidth ?? 80)}\n${topicText({ summary, ...topic }, help)}`;

/** Every topic and every command, without repeating what all commands have. */
export async function allHelp(commands: readonly CommandNode[], io: Io): Promise<string> {
  const help = new MktHelp(io);
  const rule = (title: string): string => `\n${`== ${title} `.padEnd(help.helpWidth ?? 80, '=')}\n\n`;
  const nothing = () => Promise.resolve();
  const top = buildParser(commands, nothing);
  let text = await helpFor(top, io);
  for (const topic of topics) text += rule(`mkt help ${topic.name}`) + titled(topic, help);
  for (const parser of top.commands) await expand(parser, nothing);
  for (const parser of top.commands.flatMap((each) => (each.commands.length > 0 ? each.commands : [each]))) {
    const node = nodes.get(parser);
    if (node === undefined || isGroup(node)) continue;
    await expand(parser, nothing);
    text += rule(pathOf(parser)) + (await commandBody(parser, node, help));
  }
  return text;
}

const named = (nodes: readonly CommandNode[], word: string): CommandNode | undefined =>
  nodes.find(({ name, aliases = [] }) => [name, ...aliases].includes(word));

const commandsOf = (node: CommandNode | undefined): readonly CommandNode[] =>
  node !== undefined && isGroup(node) ? node.commands : [];

/** What was probably meant: a command of a group that exists, else a command or a topic. */
function guessFrom(commands: readonly CommandNode[], [first = '', second = '']: readonly string[]): string | undefined {
  const namesOf = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
  const group = named(commands, first);
  if (group === undefined) return nearest(first, namesOf([...commands, ...topics]));
  const guess = nearest(second, namesOf(commandsOf(group)));
  return guess && `${group.name} ${guess}`;
}

/** The help of the command that the words name, or of a topic. */
export async function topicHelp(
  commands: readonly CommandNode[],
  context: Context,
  words: readonly string[],
): Promise<void> {
  const [first = '', second, ...rest] = words;
  const node = named(commands, first);
  const found = second === undefined ? node : named(commandsOf(node), second);
  if (words.length === 0 || (found !== undefined && rest.length === 0)) {
    // As the user would type it, because a command may answer --help itself.
    await context.run([...words, '--help'], context.io);
    return;
  }
  const topic = second === undefined ? topics.find(({ name }) => name === first) : undefined;
  if (topic === undefined) {
    const guess = guessFrom(commands, words);
    throw usageError(
      `There is no command and no topic "${words.join(' ')}".${guess === undefined ? '' : ` Did you mean ${guess}?`}`,
      `Topics: ${topics.map(({ name }) => name).join(', ')}`,
      'Commands: mkt --help',
    );
  }
  await context.print.write(titled(topic, new MktHelp(context.io)));
}
