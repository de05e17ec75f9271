import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { CommandNode } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { failure, fileError, toType } from '../../errors/cli-error.js';
import { topics } from './topics.js';
import { linesOf } from './tree.js';

/** Where assistants look for skills: a folder with this file. */
const PATH = 'mkt/SKILL.md';

const DESCRIPTION =
  'Manage campaigns, collabs, members and budgets of brands on the Brand and Creator Marketplace with the command line mkt: find, compare, report, plan changes and apply them once a person has agreed.';

/** The page for AI assistants as a skill. */
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
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (cause) {
    throw fileError(`Cannot write ./${PATH} (${(cause as NodeJS.ErrnoException).code}).`, cause);
  }
  context.note(`Wrote ./${PATH}. Move the folder to where your assistant reads skills, such as ~/.claude/skills.`);
}
