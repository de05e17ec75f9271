// The web pages's stylesheet as text in a module: every bundler and every runtime can serve it without another file.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { transform } from 'esbuild';

const folder = 'packages/server/src/web';
const library = createRequire(import.meta.url).resolve('@picocss/pico/css/pico.classless.indigo.min.css');

export const output = `${folder}/styles.generated.ts`;

export async function generate() {
  const own = ['tokens', 'frame', 'lists', 'forms', 'content'].map((name) => `${folder}/styles/${name}.css`);
  const text = [library, ...own].map((path) => readFileSync(path, 'utf8')).join('\n');
  const { code } = await transform(text, { loader: 'css', minify: true, legalComments: 'inline' });
  const stylesheet = code.trim();
  const version = createHash('sha256').update(stylesheet).digest('hex').slice(0, 10);
  return [
    '// Generated from Pico CSS and the styles folder by `npm run generate`. Do not edit.',
    '',
    `export const version = '${version}';`,
    '',
    `export const stylesheet = ${JSON.stringify(stylesheet)};`,
    '',
  ].join('\n');
}
