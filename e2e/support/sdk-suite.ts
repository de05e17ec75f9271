import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Environment, Result } from '../runtimes/suite.js';
import { cleanEnvironment } from './mkt.js';
import { serving } from './serving.js';

/** How a program is started that is a module in the current folder. */
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  node: ['main.mjs'],
  deno: ['run', '--no-prompt', '--allow-net', '--allow-env', '--allow-read', '--allow-write', 'main.mjs'],
  bun: ['main.mjs'],
  workerd: ['test', 'workerd.capnp'],
};

/** A worker as Wrangler bundles it, without Node's modules; it may connect to this machine. */
async function writeWorker(folder: string): Promise<void> {
  await build({
    stdin: {
      contents: `import { main } from './main.mjs'; export default { test: main };`,
      resolveDir: folder,
    },
    outfile: join(folder, 'worker.mjs'),
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', '@mkt/sdk/node'],
  });
  writeFileSync(
    join(folder, 'workerd.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
      compatibilityDate = "2025-09-01",
      globalOutbound = "network",
    )),
    (name = "network", network = (allow = ["private"])),
  ],
);
`,
  );
}

/**
 * Runs the SDK's suite on a runtime, against a server of its own.
 * @param folder - where the packed SDK is installed.
 * @param runtime - `node`, `deno`, `bun` or `workerd`.
 * @param program - its file.
 */
export async function runSuite(folder: string, runtime: string, program: string): Promise<Result[]> {
  const server = await serving(folder, [], { dropLogs: true });
  try {
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => probe.once('listening', listening));
    const closedUrl = `http://127.0.0.1:${(probe.address() as AddressInfo).port}`;
    await new Promise((closed) => probe.close(closed));
    const token = server.tokens.ada_write as string;
    const { control } = server;
    if (!control) throw new Error('The server has no control API.');
    const environment: Environment = { url: server.url, token, control, closedUrl, isWorkerd: runtime === 'workerd' };

    const source = fileURLToPath(new URL('../runtimes/suite.ts', import.meta.url));
    await build({ entryPoints: [source], outfile: join(folder, 'suite.mjs'), format: 'esm', target: 'es2022' });
    const main = `import { run } from './suite.mjs';
export const main = async () => console.log(JSON.stringify(await run(${JSON.stringify(environment)})));
`;
    writeFileSync(join(folder, 'main.mjs'), runtime === 'workerd' ? main : `${main}await main();\n`);
    if (runtime === 'workerd') await writeWorker(folder);
    const env = { ...cleanEnvironment(folder), MKT_TOKEN: token, MKT_BASE_URL: server.url };
    const { stdout } = await promisify(execFile)(program, argumentsOf[runtime], { cwd: folder, env, timeout: 120_000 });
    return JSON.parse(stdout) as Result[];
  } finally {
    await server.stop();
  }
}
