import { type BuildOptions, build } from 'esbuild';

/** Source as one file of JavaScript, our packages read from their source too. */
export async function bundle(entry: string, options: BuildOptions = {}): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'esm',
    conditions: ['mkt-source'],
    logLevel: 'error',
    ...options,
  });
  return outputFiles?.[0]?.text ?? '';
}
