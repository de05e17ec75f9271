// docs/reference/environment.md: the variables that the programs read, from the help of the command line and the flags of the
// server. The check fails if an MKT_ variable in the source is missing on the page.
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { fromSource } from '../lib/from-source.mjs';
import { cell, table } from '../lib/markdown.mjs';
import { nodesOf, sentence, sourceFiles } from '../lib/typescript.mjs';

export const output = 'docs/reference/environment.md';

/** `new Option('--db <where>', 'where the data is').env('MKT_SERVE_DB')`: the variable and the description of its flag. */
function serverFlags() {
  return nodesOf('packages/server/src/node/serve-command.ts').flatMap((node) => {
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
    if (node.expression.name.text !== 'env') return [];
    let option = node.expression.expression;
    while (!ts.isNewExpression(option)) option = option.expression.expression;
    const [flag, description] = option.arguments.map(sentence);
    const text = `${description.charAt(0).toUpperCase()}${description.slice(1)}`;
    return [[sentence(node.arguments[0]), `${text} (${flag.split(' ')[0]})`]];
  });
}

/** It has no flag. */
const sessionSecret = [
  'MKT_SERVE_SESSION_SECRET',
  'At least 32 random characters that sign the sessions of the web pages. By default a new one at every start, which signs out all users',
];

export async function generate() {
  const { topics } = await fromSource('packages/cli/src/root/help/topics.ts');
  const { summary, sections } = topics.find(({ name }) => name === 'environment');
  const rows = (entries) =>
    table(
      ['Variable', ''],
      entries.map(([names, text]) => [
        names
          .split(', ')
          .map((name) => `\`${name}\``)
          .join(', '),
        cell(text),
      ]),
    );
  const lines = [
    '<!-- Generated from the data of the command line and the server by `npm run generate`. Do not edit. -->',
    '',
    '# Environment variables',
    '',
    'For scripts, CI and operators. The SDK and the mock read no environment variables; pass them options.',
    '',
    '## The command line',
    '',
    `${summary}. The same as \`mkt help environment\`.`,
    '',
    ...sections.flatMap(({ title, entries }) => [`### ${title}`, '', ...rows(entries)]),
    '## The server',
    '',
    'Read by `mkt serve` and `npx @mkt/server`. A flag overrides its variable. Put secrets into variables, because other users of a machine can',
    'see command lines.',
    '',
    ...rows([...serverFlags(), sessionSecret]),
  ];
  const page = `${lines.join('\n').trimEnd()}\n`;
  const inSource = ['cli', 'server', 'sdk', 'mock-server']
    .flatMap((name) => sourceFiles(`packages/${name}/src`))
    .flatMap((path) => readFileSync(path, 'utf8').match(/\bMKT_[A-Z]+(?:_[A-Z]+)*\b/g) ?? []);
  const missing = [...new Set(inSource)].filter((name) => !page.includes(`\`${name}\``));
  if (missing.length > 0)
    throw new Error(`${output} does not describe these variables of the source: ${missing.join(', ')}.`);
  return page;
}
