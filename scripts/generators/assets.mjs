// The stylesheet of the web pages and the script of the server's console as texts in a module: every bundler and every runtime
// can serve them without another file. The script's source is the panel of the mock.
import { createHash } from 'node:crypto';
import { build } from 'esbuild';

const folder = 'packages/server/src/web';
const styles = ['tokens', 'frame', 'lists', 'forms', 'content'].map((name) => `${folder}/styles/${name}.css`);

export const output = `${folder}/assets.generated.ts`;

/** A file that a browser loads, with a version that changes with it. */
async function asset(name, input) {
  const options = { bundle: true, minify: true, write: false, legalComments: 'inline', logLevel: 'error' };
  const { outputFiles } = await build({ ...options, conditions: ['mkt-source'], ...input });
  const text = outputFiles[0].text.trim();
  const version = createHash('sha256').update(text).digest('hex').slice(0, 10);
  return `export const ${name} = { version: '${version}', text: ${JSON.stringify(text)} };\n`;
}

export async function generate() {
  const imports = ['@picocss/pico/css/pico.classless.indigo.min.css', ...styles.map((path) => `./${path}`)];
  const contents = imports.map((path) => `@import '${path}';`).join('\n');
  const script = { entryPoints: ['packages/mock-server/src/panel/console.ts'], format: 'esm', target: 'es2022' };
  return [
    '// Generated from Pico CSS, the styles folder and the panel of the mock by `npm run generate`. Do not edit.\n',
    await asset('stylesheet', { stdin: { contents, loader: 'css', resolveDir: '.' } }),
    await asset('consoleScript', script),
  ];
}
