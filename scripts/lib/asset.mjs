import { createHash } from 'node:crypto';
import { build } from 'esbuild';

/**
 * A constant with a file that browsers load, and with a version that changes with it.
 * @param {string} name Of the constant.
 * @param {import('esbuild').BuildOptions} input
 */
export async function asset(name, input) {
  const { outputFiles } = await build({
    bundle: true,
    minify: true,
    write: false,
    legalComments: 'inline',
    logLevel: 'error',
    conditions: ['mkt-source'],
    ...input,
  });
  const text = outputFiles?.[0]?.text.trim() ?? '';
  const version = createHash('sha256').update(text).digest('hex').slice(0, 10);
  return `export const ${name} = { version: '${version}', text: ${JSON.stringify(text)} };\n`;
}
