// The script of the server's console as text in a module, as with the stylesheet. Its source is the panel of the mock.
import { createHash } from 'node:crypto';
import { build } from 'esbuild';

export const output = 'packages/server/src/web/console.generated.ts';

export async function generate() {
  const { outputFiles } = await build({
    entryPoints: ['packages/mock-server/src/panel/console.ts'],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['mkt-source'],
  });
  const script = outputFiles[0].text.trim();
  const version = createHash('sha256').update(script).digest('hex').slice(0, 10);
  return [
    '// Generated from the panel of the mock by `npm run generate`. Do not edit.',
    '',
    `export const consoleVersion = '${version}';`,
    '',
    `export const consoleScript = ${JSON.stringify(script)};`,
    '',
  ].join('\n');
}
