// docs/llms.txt (llmstxt.org): the index for language models, from the index for people.
import { relative } from 'node:path';
import { checkIndex, sections } from '../lib/docs.mjs';

export const output = 'docs/llms.txt';
export const readsOutputs = true;

const line = ({ title, path, about }) => `- [${title}](${relative('docs', path).replaceAll('\\', '/')}): ${about}`;

export function generate() {
  checkIndex();
  return [
    '# mkt',
    '',
    '> Command line (`mkt`), typed SDK (`@mkt/sdk`), mock (`@mkt/mock-server`) and reference server (`@mkt/server`) for the Brand and Creator',
    '> Marketplace JSON API. One contract describes the API, one set of rules runs it.',
    '',
    'Lists are paged (20 items, `?page=N`), fields are snake_case, amounts are integers without a unit. `npx @mkt/cli serve` runs the whole API with',
    'demo data at http://127.0.0.1:4010; `mkt_demo_ada_write` is a token there. On the built site, llms-full.txt holds everything below as one text.',
    '',
    ...sections().flatMap(({ title, pages }) => [
      title === 'Background' ? '## Optional' : `## ${title}`,
      '',
      ...pages.map(line),
      '',
    ]),
  ];
}
