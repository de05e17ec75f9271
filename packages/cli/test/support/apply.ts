import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCli, type Screen, type Terminal, temporaryFolder } from './run-cli.js';
import { tokens } from './service.js';

export interface Run extends Terminal {
  readonly token?: string;
}

/** A folder with a declaration, and functions that write and apply it as Ada. */
export function applyEnvironment(url: string, folder = temporaryFolder()) {
  const file = join(folder, 'marketplace.yaml');
  const mkt = (argv: readonly string[], { token = tokens.ada_write, ...terminal }: Run = {}): Promise<Screen> =>
    runCli(argv, {
      cwd: folder,
      ...terminal,
      env: { MKT_TOKEN: token, MKT_BASE_URL: url, MKT_ORG: '5', ...terminal.env },
    });
  const apply = (text: string, argv: readonly string[] = ['--yes'], run?: Run): Promise<Screen> => {
    writeFileSync(file, text);
    return mkt(['apply', '-f', file, ...argv], run);
  };
  return {
    folder,
    file,
    mkt,
    apply,
    /** The output of `--json`. */
    json: async (text: string, ...argv: string[]): Promise<ApplyResult> => {
      const { code, stdout, stderr } = await apply(text, ['--json', '--quiet', ...argv]);
      if (code !== 0) throw new Error(stderr);
      return JSON.parse(stdout) as ApplyResult;
    },
    show: async (plural: string, id: number): Promise<Record<string, unknown>> =>
      JSON.parse((await mkt([plural, 'show', String(id), '--json'])).stdout) as Record<string, unknown>,
    /** Output without the folder of the test. */
    plain: (text: string): string => text.replaceAll(file, 'marketplace.yaml'),
  };
}

export interface ApplyResult {
  readonly organization: { readonly id: number; readonly name: string };
  readonly dry_run: boolean;
  readonly up_to_date: boolean;
  readonly counts: Readonly<Record<string, number>>;
  readonly changes: readonly (Readonly<Record<string, unknown>> & {
    readonly steps: readonly string[];
    readonly done: readonly string[];
    readonly fields: Readonly<Record<string, { from: unknown; to: unknown }>>;
  })[];
}
