import type { Command as Parser } from 'commander';
import { type CommandNode, isGroup } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { usageError } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';
import { nearest } from '../../text/nearest.js';
import { buildParser, nodes } from '../parser.js';
import { commandBody, helpFor, MktHelp, topicText } from './help.js';
import { type Topic, topics } from './topics.js';

const parserOf = (commands: readonly CommandNode[]): Parser => buildParser(commands, () => Promise.resolve());

const titled = ({ summary, ...topic }: Topic, help: MktHelp): string =>
  `${help.boxWrap(`${summary}.`, help.helpWidth ?? 80)}\n${topicText({ summary, ...topic }, help)}`;

/** Every topic and every command, without repeating what all commands have. */
export async function allHelp(commands: readonly CommandNode[], io: Io): Promise<string> {
  const help = new MktHelp(io);
  const rule = (title: string): string => `\n${`== ${title} `.padEnd(help.helpWidth ?? 80, '=')}\n\n`;
  const top = parserOf(commands);
  let text = await helpFor(top, io);
  for (const topic of topics) text += rule(`mkt help ${topic.name}`) + titled(topic, help);
  for (const parser of top.commands.flatMap((each) => (each.commands.length > 0 ? each.commands : [each]))) {
    const node = nodes.get(parser);
    if (node === undefined || isGroup(node)) continue;
    const group = parser.parent === top ? '' : `${parser.parent?.name()} `;
    text += rule(`mkt ${group}${node.name}`) + (await commandBody(parser, node, help));
  }
  return text;
}

const named = (parser: Parser, word: string): Parser | undefined =>
  parser.commands.find((each) => each.name() === word || each.aliases().includes(word));

/** What was probably meant: a command of a group that exists, else a command or a topic. */
function guessFrom(top: Parser, [first = '', second = '']: readonly string[]): string | undefined {
  const group = named(top, first);
  const names = (group ?? top).commands.map((each) => each.name());
  if (group === undefined) return nearest(first, [...names, ...topics.map(({ name }) => name)]);
  const guess = nearest(second, names);
  return guess && `${group.name()} ${guess}`;
}

/** The help of the command that the words name, or of a topic. */
export async function topicHelp(
  commands: readonly CommandNode[],
  context: Context,
  words: readonly string[],
): Promise<void> {
  const top = parserOf(commands);
  const [first, ...rest] = words;
  const found = words.reduce<Parser | undefined>((parser, word) => parser && named(parser, word), top);
  if (found !== undefined) {
    // As typed by the user, because a command may answer --help itself.
    await context.run([...words, '--help'], context.io);
    return;
  }
  const topic = rest.length === 0 ? topics.find(({ name }) => name === first) : undefined;
  if (topic === undefined) {
    const guess = guessFrom(top, words);
    throw usageError(
      `There is no command and no topic "${words.join(' ')}".${guess === undefined ? '' : ` Did you mean ${guess}?`}`,
      `Topics: ${topics.map(({ name }) => name).join(', ')}`,
      'Commands: mkt --help',
    );
  }
  await context.print.write(titled(topic, new MktHelp(context.io)));
}
