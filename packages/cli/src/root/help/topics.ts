import { allowedElements } from '@mkt/server/rich-text';
import { exitCodeMeanings } from '../../errors/cli-error.js';
import { FILE_FORMATS, formats, HEADED } from '../../text/formats.js';
import agents from './topics/agents.txt?raw';
import briefs from './topics/briefs.txt?raw';
import config from './topics/config.txt?raw';
import environment from './topics/environment.txt?raw';
import exitCodes from './topics/exit-codes.txt?raw';
import formatting from './topics/formatting.txt?raw';
import scripting from './topics/scripting.txt?raw';

/** A part of a topic: sentences, then terms with descriptions, then lines to copy. */
export interface TopicSection {
  readonly title: string;
  readonly text: readonly string[];
  readonly entries: readonly (readonly [term: string, description: string])[];
  readonly lines: readonly string[];
}

/** A help page that concerns all commands, such as `mkt help scripting`. */
export type Topic = ReturnType<typeof topic>;

/** The first row is the title. `term  description` is an entry, `$ line` is a line to copy, all others are one text. */
function sectionFrom(block: string): TopicSection {
  const [title = '', ...rows] = block.split('\n');
  const section = { title, text: [] as string[], entries: [] as [string, string][], lines: [] as string[] };
  for (const row of rows) {
    const [term = '', description] = row.split(/ {2,}/);
    if (row.startsWith('$ ')) section.lines.push(row.slice(2));
    else if (description !== undefined) section.entries.push([term, description]);
    else section.text.push(row);
  }
  return { ...section, text: section.text.length === 0 ? [] : [section.text.join(' ')] };
}

/** A topic from its text: the summary, then a block of rows for each section. */
function topic(name: string, text: string) {
  const [summary = '', ...blocks] = text.trim().split('\n\n');
  return { name, summary, sections: blocks.map(sectionFrom) };
}

const codes = [...exitCodeMeanings].map(([code, meaning]) => `${code}  ${meaning}`).join('\n');

const formatLines = FILE_FORMATS.map((format) => `${format}  ${formats[format].about}`).join('\n');

/** In the order of the help. */
export const topics: readonly Topic[] = [
  topic('environment', environment),
  topic('exit-codes', exitCodes.replace('{exit codes}', codes)),
  topic('formatting', formatting.replace('{formats}', formatLines).replace('{headed}', HEADED.join(', '))),
  topic('briefs', briefs.replace('{elements}', allowedElements.join(', '))),
  topic('scripting', scripting),
  topic('config', config),
  topic('agents', agents),
];
