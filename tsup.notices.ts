import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Options } from 'tsup';

type Plugin = NonNullable<Options['esbuildPlugins']>[number];

/** Generated files that hold parts of a library, by the end of their path. */
const copies: Readonly<Record<string, readonly string[]>> = {
  'web/styles/main.css?bundle': ['@picocss/pico'],
  'web/editor/editor.ts?bundle': ['squire-rte'],
  'rules/codes.generated.ts': ['countries-list', 'currency-codes'],
};

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
}

const read = (file: string): string => readFileSync(file, 'utf8').split('\r\n').join('\n').trim();

/** The folder of the installed package that a file belongs to: the one below the last `node_modules`. */
const packageFolder = (path: string): string | undefined =>
  // esbuild writes `/` on every system, and before the path of a module that a plugin loads its namespace.
  /^(?:lazy:)?(.*node_modules\/(?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];

/** The license as the package has it: its files, else the section of its README. */
function licenseText(folder: string): string {
  const files = readdirSync(folder);
  const own = files.filter((file) => /^(licen[cs]e|copying|notice)(\b|$)/i.test(file)).sort();
  if (own.length > 0) return own.map((file) => read(join(folder, file))).join('\n\n');
  const readme = files.find((file) => /^readme/i.test(file));
  const section = readme && /^#+ *licen[cs]e[^\n]*\n([\s\S]*?)(?=^#+ |$(?![\s\S]))/im.exec(read(join(folder, readme)));
  if (section?.[1]) return section[1].trim();
  throw new Error(
    `${folder} has no license text, neither in a file of its own nor in its README; it cannot be bundled.`,
  );
}

/** What all builds of this run took in, by folder. One package's builds run in one process and write one folder. */
const taken = new Set<string>();

function noticesText(): string {
  const sections = new Map<string, string>();
  for (const folder of taken) {
    const { name, version, license } = JSON.parse(read(join(folder, 'package.json'))) as Manifest;
    sections.set(`${name} ${version} (${license ?? 'see below'})`, licenseText(folder));
  }
  const line = '-'.repeat(80);
  const parts = [...sections].sort(([one], [other]) => (one < other ? -1 : 1));
  return [
    'This package contains code or data of the following libraries, under their own licenses.',
    ...parts.map(([title, text]) => `${line}\n${title}\n\n${text}`),
  ].join('\n\n');
}

/**
 * Writes THIRD-PARTY-NOTICES.txt next to the bundles: the licenses of the libraries that they contain. Permissive licenses
 * require it, and bundling drops their license files.
 */
export const thirdPartyNotices: Plugin = {
  name: 'third-party-notices',
  setup(build) {
    build.initialOptions.metafile = true;
    build.onEnd(({ metafile, errors }) => {
      if (errors.length > 0) return;
      for (const { inputs } of Object.values(metafile?.outputs ?? {})) {
        for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
          if (bytesInOutput === 0) continue;
          const folder = packageFolder(path);
          if (folder) taken.add(folder);
          for (const [end, names] of Object.entries(copies)) {
            if (path.endsWith(end)) for (const name of names) taken.add(`../../node_modules/${name}`);
          }
        }
      }
      const { outdir } = build.initialOptions;
      if (taken.size === 0 || outdir === undefined) return;
      const file = join(outdir, 'THIRD-PARTY-NOTICES.txt');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `${noticesText()}\n`);
    });
  },
};
