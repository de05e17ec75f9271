// The stylesheet of the web pages as text in a module: every bundler and every runtime can serve it without another file.
import { asset } from '../lib/asset.mjs';

const folder = 'packages/server/src/web';
const styles = ['tokens', 'frame', 'lists', 'cards', 'forms', 'content', 'overview', 'docs'].map(
  (name) => `${folder}/styles/${name}.css`,
);

export const output = `${folder}/assets.generated.ts`;

export async function generate() {
  const imports = ['@picocss/pico/css/pico.classless.indigo.min.css', ...styles.map((path) => `./${path}`)];
  const contents = imports.map((path) => `@import '${path}';`).join('\n');
  return [
    '// Generated from Pico CSS and the styles folder by `npm run generate`. Do not edit.\n',
    await asset('stylesheet', { stdin: { contents, loader: 'css', resolveDir: '.' } }),
  ];
}
