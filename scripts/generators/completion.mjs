// What Tab offers, from the data of the commands and the contract: the flags that follow from schemas cannot be worked out
// in the time that a person waits for Tab.
import { build } from 'esbuild';

export const output = 'packages/cli/src/completion/spec.generated.json';

const withoutActions = {
  name: 'without-actions',
  setup: ({ onResolve }) => onResolve({ filter: /\/actions\// }, ({ path }) => ({ path, external: true })),
};

export async function generate() {
  const { outputFiles } = await build({
    entryPoints: ['packages/cli/src/completion/make-spec.ts'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    write: false,
    logLevel: 'error',
    conditions: ['mkt-source'],
    plugins: [withoutActions],
  });
  const source = Buffer.from(outputFiles[0].contents).toString('base64');
  const { makeSpec } = await import(`data:text/javascript;base64,${source}`);
  return `${JSON.stringify(await makeSpec())}\n`;
}
