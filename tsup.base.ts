import type { Options } from 'tsup';
import { bundledAssets } from './scripts/lib/bundled-assets.mjs';
import { thirdPartyNotices } from './tsup.notices.js';

/** tsup's declaration build adds a `baseUrl`, which TypeScript 6 reports as deprecated, and cannot be incremental. `tsc -b` checks. */
const compilerOptions = { ignoreDeprecations: '6.0', incremental: false, stripInternal: true, noCheck: true };

/** `MKT_BUILD=js` skips declarations: they are most of the build time and nothing that runs needs them. */
const declarations = process.env.MKT_BUILD !== 'js';

/** What a bundle takes in of the other packages comes from their sources: no build waits for another. */
export const conditions = ['mkt-source', 'module'];

/**
 * Output of a library package: ESM and, for the entries in `typed`, declarations.
 * `clean` stays off because several configurations write one `dist`; scripts/build.mjs empties it.
 */
export const library = (options: Options, typed?: Record<string, string>): Options => ({
  format: ['esm'],
  target: 'node20',
  platform: 'neutral',
  splitting: true,
  silent: true,
  clean: false,
  dts: declarations && typed !== undefined && { entry: typed, compilerOptions },
  esbuildOptions(esbuild) {
    esbuild.conditions = conditions;
  },
  esbuildPlugins: [bundledAssets, thirdPartyNotices],
  ...options,
});

/** Only declarations, for ESM and CJS; empty if declarations are switched off. */
export const declarationsOnly = (entry: Record<string, string>, options: Options = {}): Options[] =>
  declarations ? [library({ entry, format: ['esm', 'cjs'], dts: { only: true, compilerOptions }, ...options })] : [];
