import type { Block } from './blocks.js';

/** What the pages take as given once they have said it: a name, and the line that makes it. */
const preambles: readonly (readonly [name: string, line: string])[] = [
  ['Marketplace', "import { Marketplace } from '@mkt/sdk';"],
  ['createMarketplaceMock', "import { createMarketplaceMock } from '@mkt/mock-server';"],
  ['connectControl', "import { connectControl } from '@mkt/mock-server/control';"],
  ['setupServer', "import { setupServer } from 'msw/node';"],
  ['mock', 'const mock = createMarketplaceMock();'],
  [
    'mkt',
    "const mkt = new Marketplace({ token: process.env.MKT_TOKEN ?? '', baseUrl: process.env.MKT_BASE_URL ?? '' });",
  ],
  ['acme', 'const acme = mkt.organization(5);'],
  [
    'ready',
    "const ready = { control: { url: process.env.CONTROL_URL ?? '', token: process.env.CONTROL_TOKEN ?? '' } };",
  ],
  ['control', 'const control = connectControl(ready.control);'],
];

/** Without comments and texts, where a name means nothing. */
const bare = (code: string): string =>
  code.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|'[^'\n]*'|"[^"\n]*"|`[^`]*`/g, (text) =>
    // A template may hold names.
    text.startsWith('`') ? [...text.matchAll(/\$\{([^}]*)\}/g)].map(([, inner]) => inner).join(' ') : '""',
  );

const uses = (code: string, name: string): boolean => new RegExp(`(?<![.\\w$])${name}\\b(?!\\s*:)`).test(code);
const makes = (code: string, name: string): boolean =>
  new RegExp(`\\b(?:const|let|class|function) (?:\\{[^}]*\\b)?${name}\\b|\\bimport\\b[^;]*\\b${name}\\b`).test(code);

/** The lines that a program needs before it, in their order. */
export function preambleOf(code: string): string[] {
  const lines: string[] = [];
  let seen = bare(code);
  for (const [name, line] of [...preambles].reverse()) {
    if (!uses(seen, name) || makes(bare(code), name)) continue;
    lines.unshift(line);
    seen += `\n${bare(line)}`;
  }
  return lines;
}

/** A program of a page, with what it takes as given. */
export const whole = ({ code }: Block): string =>
  [...preambleOf(code), code]
    .join('\n')
    .replaceAll(/'http:\/\/(?:127\.0\.0\.1|localhost):4010'/g, "(process.env.MKT_BASE_URL ?? '')");

/** Whether vitest runs it. */
export const isTest = ({ code }: Block): boolean => /^(?:\w+\()?\s*(?:test|it|beforeAll|describe)\(/m.test(code);

/** What its comments say that it prints; undefined where a line prints without saying what. */
export function printedBy(code: string): string[] | undefined {
  const lines = code.split('\n').filter((line) => line.includes('console.log('));
  const told = lines.map((line) => / \/\/ (.+)$/.exec(line)?.[1]);
  return told.every((text) => text !== undefined) ? told : undefined;
}

/** Many programs of one line as one, each on data as in the beginning. */
export function joined(blocks: readonly Block[]): string {
  const scopes = blocks.map(({ code, line }) => `await control.reset();\nat = ${line};\n{\n${code}}`);
  const code = `let at = 0;\nprocess.on('exit', (failed) => { if (failed) console.error('Line', at); });\n${scopes.join('\n')}`;
  return [...preambleOf(code), code].join('\n');
}
