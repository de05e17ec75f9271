// `import asset from './page.ts?bundle'` gives a file that browsers load: the module or stylesheet with all that it imports, minified,
// as text, and a version that changes with it. esbuild makes it when a package is built, Vite when tests or generators run the sources.
import { createHash } from 'node:crypto';
import { dirname, relative, resolve, sep } from 'node:path';
import { build } from 'esbuild';

const name = 'bundled-assets';
const suffix = '?bundle';

/** A module with the asset. */
async function moduleOf(file) {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    legalComments: 'inline',
    logLevel: 'error',
    conditions: ['mkt-source'],
  });
  const text = outputFiles[0].text.trim();
  const version = createHash('sha256').update(text).digest('hex').slice(0, 10);
  return `export default ${JSON.stringify({ version, text })};`;
}

/** For esbuild. The suffix stays, since tsup loads what ends with `.css`; output names the path, so it is a relative one. */
export const bundledAssets = {
  name,
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /\?bundle$/ }, ({ path, resolveDir }) => {
      const file = resolve(resolveDir, path.slice(0, -suffix.length));
      return { path: relative('', file).split(sep).join('/') + suffix, namespace: name, pluginData: file };
    });
    onLoad({ filter: /./, namespace: name }, async ({ pluginData }) => ({
      contents: await moduleOf(pluginData),
      loader: 'js',
    }));
  },
};

const prefix = `\0${name}:`;

/** For Vite: a virtual module with the name of a script, since Vite transforms stylesheets. */
export const viteBundledAssets = () => ({
  name,
  enforce: 'pre',
  resolveId: (id, importer) =>
    id.endsWith(suffix) ? `${prefix}${resolve(dirname(importer), id.slice(0, -suffix.length))}.js` : undefined,
  load: (id) => (id.startsWith(prefix) ? moduleOf(id.slice(prefix.length, -'.js'.length)) : undefined),
  // vitest stores modules under a hash of their own text; this one changes with what it imports.
  configureVitest: ({ experimental_defineCacheKeyGenerator: defineCacheKey }) =>
    defineCacheKey(({ id }) => (id.startsWith(prefix) ? false : undefined)),
});
