import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type CommandNode, isGroup } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { failure, toType, usageError, usingFiles } from '../../errors/cli-error.js';
import { nearest } from '../../text/nearest.js';
import { MktHelp } from './help.js';
import { topics } from './topics.js';
import { linesOf } from './tree.js';

const byName = (nodes: readonly CommandNode[], word: string): CommandNode | undefined =>
  nodes.find(({ name, aliases = [] }) => [name, ...aliases].includes(word));

const namesOf = (nodes: readonly { readonly name: string }[]): string[] => nodes.map(({ name }) => name);

/** The help of the command that the words name, or of a topic. */
export async function topicHelp(commands: readonly CommandNode[], context: Context, words: readonly string[]) {
  const [first = '', second, ...rest] = words;
  const node = byName(commands, first);
  const inner = node !== undefined && isGroup(node) ? node.commands() : [];
  const found = second === undefined ? node : byName(inner, second);
  if (words.length === 0 || (found !== undefined && rest.length === 0)) {
    // As the user would type it, because a command may handle --help itself.
    await context.run([...words, '--help'], context.io);
    return;
  }
  const topic = second === undefined ? topics.find(({ name }) => name === first) : undefined;
  if (topic === undefined) {
    const match = nearest(node ? (second ?? '') : first, namesOf(node ? inner : [...commands, ...topics]));
    const suggestion = match && ` Did you mean ${node ? `${node.name} ` : ''}${match}?`;
    throw usageError(
      `"${words.join(' ')}" is not a command or a topic.${suggestion ?? ''}`,
      `Topics: ${namesOf(topics).join(', ')}`,
      toType('mkt --help', 'Commands'),
    );
  }
  const help = new MktHelp(context.io);
  const list = linesOf(commands).map(([path, { summary }]) => [path, summary] as const);
  const more = topic.name === 'agents' ? help.section('Commands', { entries: list }) : '';
  await context.print.write(help.paragraph(`${topic.summary}.`) + help.sections(topic) + more);
}

/** Where assistants look for skills: a folder with this file. */
const PATH = 'mkt/SKILL.md';

const DESCRIPTION =
  'Manage campaigns, collabs, members and budgets of brands on the Brand and Creator Marketplace with the command line mkt: find, compare, report, plan changes and apply them once a person has agreed.';

function skillText(commands: readonly CommandNode[]): string {
  const { summary = '', sections = [] } = topics.find(({ name }) => name === 'agents') ?? {};
  const parts = sections.map(({ title, text, lines }) =>
    [`## ${title}`, ...text, ...(lines.length > 0 ? [['```sh', ...lines, '```'].join('\n')] : [])].join('\n\n'),
  );
  const list = linesOf(commands).map(([path, command]) => `- \`mkt ${path}\`: ${command.summary}`);
  const head = ['---', 'name: mkt', `description: ${JSON.stringify(DESCRIPTION)}`, '---'].join('\n');
  return `${[head, `# ${summary}`, ...parts, '## Commands', list.join('\n')].join('\n\n')}\n`;
}

/** Writes the skill into a folder of the current one, unless another text is there. */
export function writeSkill(context: Context, commands: readonly CommandNode[]): void {
  const text = skillText(commands);
  const path = resolve(PATH);
  if (existsSync(path) && readFileSync(path, 'utf8') !== text && context.options.yes !== true)
    throw failure(
      'confirmation_needed',
      `./${PATH} exists with another text. Nothing was written.`,
      toType('mkt help agents --skill --yes', 'To replace it'),
    );
  usingFiles(`Cannot write ./${PATH}`, () => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  });
  context.note(`Wrote ./${PATH}. Move the folder to where your assistant reads skills, such as ~/.claude/skills.`);
}
