// docs/reference/exit-codes.md, from the source of the command line.
import { fromSources } from '../lib/from-source.mjs';
import { fence, table } from '../lib/markdown.mjs';

export const output = 'docs/reference/exit-codes.md';

const sources = `
export { exitCodeMeanings } from './errors/exit-codes.ts';
export { topics } from './root/help/topics.ts';
`;

export async function generate() {
  const { exitCodeMeanings, topics } = await fromSources('packages/cli/src', sources);
  const { sections } = topics.find(({ name }) => name === 'exit-codes');
  const lines = [
    '<!-- Generated from the data of the command line by `npm run generate`. Do not edit. -->',
    '',
    '# Exit codes',
    '',
    'The exit codes of `mkt`, for scripts and CI. Their meanings never change. The same as `mkt help exit-codes`.',
    '',
    ...table(
      ['Code', ''],
      [...exitCodeMeanings].map(([code, meaning]) => [`\`${code}\``, meaning]),
    ),
    ...sections
      .filter(({ entries }) => entries.length === 0)
      .flatMap(({ title, text }) => [`## ${title}`, '', ...text.flatMap((paragraph) => [paragraph, ''])]),
    '[Errors](errors.md) describes the values in that JSON, and the errors of the API and the SDK.',
    '',
    '## In a script',
    '',
    ...fence('sh', [
      'code=0',
      'mkt campaigns show 4711 --org 5 --json > campaign.json 2> error.json || code=$?',
      'case $code in',
      '  0) echo "found" ;;',
      '  3) echo "no campaign has this id" ;;',
      '  7 | 8) echo "try again later" ;;',
      '  *) cat error.json >&2; exit "$code" ;;',
      'esac',
    ]),
    '`mkt serve` exits with 0 when it is stopped with Ctrl-C or SIGTERM, and with 2 if it cannot start; then it has changed nothing.',
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
