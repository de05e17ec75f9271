import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Block, root } from './blocks.js';
import { preambleOf } from './programs.js';

const run = promisify(execFile);

/** As a reader's own would be, but for the condition that makes our imports read source. */
const config = `import { defaultServerConditions } from 'vite';
export default {
  ssr: { resolve: { conditions: ['mkt-source', ...defaultServerConditions] } },
  test: { globals: true, include: ['*.program.ts'], isolate: false, fileParallelism: false },
};
`;

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}

/** Runs the test files that pages show, in one run of vitest. @returns what became of each test, by file. */
export async function runTestFiles(folder: string, blocks: readonly Block[]): Promise<Map<string, string[]>> {
  await writeFile(join(folder, 'vitest.config.mjs'), config);
  for (const { page, line, code } of blocks) {
    // A program with hooks only gets a test here, so that they run.
    const own = /^\s*(?:test|it)\(/m.test(code) ? '' : "\ntest('with these hooks', () => undefined);";
    const file = join(folder, `${page.replace(/\W/g, '_')}_${line}.program.ts`);
    await writeFile(file, [...preambleOf(code), code, own].join('\n'));
  }
  const report = join(folder, 'report.json');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--root', folder, '--reporter=json', `--outputFile=${report}`];
  // It ends with 1 when a test fails: the report says which.
  await run(process.execPath, args, { cwd: folder }).catch((error: { stderr?: string }) => {
    if (error.stderr) process.stderr.write(error.stderr);
  });
  const { testResults } = JSON.parse(await readFile(report, 'utf8')) as Report;
  return new Map(
    testResults.map(({ name, message, assertionResults }) => [
      name.slice(name.lastIndexOf('/') + 1),
      assertionResults.length === 0 ? [message] : assertionResults.map(({ title, status }) => `${status}: ${title}`),
    ]),
  );
}
