import { isGroup } from '../../context/command.js';
import { usageError } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';
import { commands } from '../commands.js';
import { detailsOf } from './details.js';
import { wrapWords } from './layout.js';
import { helpPath, named } from './path.js';
import { leafBody, renderHelp } from './render.js';
import { type Topic, topicLines, topics } from './topics.js';
import { helpWidth, writeHelp } from './write.js';

const topicText = (topic: Topic, width: number): string =>
  `${[...wrapWords(`${topic.summary}.`, width), ...topicLines(topic, width)].join('\n')}\n`;

/** Every topic and every command. What holds for all commands stands once, at the top. */
async function everything(width: number): Promise<string> {
  const rule = (title: string): string => `\n${`== ${title} `.padEnd(width, '=')}\n\n`;
  const none = { flags: [], fields: [] };
  let text = renderHelp({ path: [], commands, details: none, width });
  for (const topic of topics) text += rule(`mkt help ${topic.name}`) + topicText(topic, width);
  for (const command of commands) {
    for (const leaf of isGroup(command) ? command.commands : [command]) {
      const path = isGroup(command) ? `${command.name} ${leaf.name}` : leaf.name;
      text += `${rule(`mkt ${path}`)}${leafBody(path, leaf, await detailsOf(leaf), width).join('\n')}\n`;
    }
  }
  return text;
}

/** What was probably meant: a verb of a noun that is known, else a command or a topic. */
async function guessFrom([first = '', second]: readonly string[]): Promise<string | undefined> {
  const { nearest } = await import('../../text/nearest.js');
  const group = named(commands, first);
  if (group === undefined)
    return nearest(
      first,
      [...commands, ...topics].map(({ name }) => name),
    );
  const verbs = isGroup(group) ? group.commands.map(({ name }) => name) : [];
  const verb = nearest(second ?? '', verbs);
  return verb && `${group.name} ${verb}`;
}

/**
 * `mkt help [words...]`: a topic, a command, or all of it.
 * @throws CliError (usage) when the words name neither
 */
export async function answerHelp(words: readonly string[], all: boolean, io: Io): Promise<void> {
  const width = helpWidth(io);
  if (all) {
    io.stdout.stream.write(await everything(width));
    return;
  }
  const path = helpPath([...words, '--help'], commands);
  if (path !== undefined) return writeHelp(path, io);
  if (words[0] === 'serve') {
    const { serve } = await import('../../commands/serve/run.js');
    return serve(['--help'], io);
  }
  const topic = words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined;
  if (topic === undefined) {
    const guess = await guessFrom(words);
    throw usageError(
      `There is no command and no topic "${words.join(' ')}".${guess === undefined ? '' : ` Did you mean ${guess}?`}`,
      `Topics: ${topics.map(({ name }) => name).join(', ')}`,
      'Commands: mkt --help',
    );
  }
  io.stdout.stream.write(topicText(topic, width));
}
