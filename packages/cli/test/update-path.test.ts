import { existsSync, readFileSync } from 'node:fs';
import { ClientRequest, ServerResponse } from 'node:http';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { demoSeed } from '@mkt/server';
import { openStore, serve } from '@mkt/server/node';
import { sqliteDriver } from '@mkt/server/sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { run } from '../src/root/run-command.js';
import { temporaryFolder, testIo } from './support/run-cli.js';
import { tokens } from './support/service.js';

const root = join(import.meta.dirname, '../../..');
const [, section = ''] = readFileSync(join(root, 'docs/architecture.md'), 'utf8').split('## The path of an update\n');
const [, block = ''] = section.split('```');
/** The files that the page names, in its order. */
const named = [...block.matchAll(/^(cli|sdk|server) +(\S+\.ts)/gm)].map(([, name, path]) => `${name}/src/${path}`);

/** A file of the packages, from its path or URL. */
const PACKAGE_FILE = /packages\/((?:cli|sdk|server)\/src\/[^:)?]+\.tsx?)/g;
const filesIn = (text = ''): string[] => [...text.matchAll(PACKAGE_FILE)].map(([, path = '']) => path);

/** Calls `note` whenever the method runs, until the test ends. */
function before(target: object, name: string, note: (self: unknown) => void): void {
  const original: unknown = Reflect.get(target, name);
  if (typeof original !== 'function') throw new Error(`There is no method ${name}.`);
  Reflect.set(target, name, function (this: unknown, ...args: unknown[]) {
    note(this);
    return Reflect.apply(original, this, args);
  });
  onTestFinished(() => {
    Reflect.set(target, name, original);
  });
}

test('the files that the page names carry mkt campaigns update, at most 30', async () => {
  expect(named.length).toBeGreaterThan(20);
  expect(named.length).toBeLessThanOrEqual(30);
  expect(named.filter((path) => !existsSync(join(root, 'packages', path)))).toEqual([]);

  const driver = await sqliteDriver();
  const { open } = driver;
  const opened = vi.spyOn(driver, 'open').mockImplementation((file, options) => {
    const database = open(file, options);
    const { prepare } = database;
    database.prepare = (text) => {
      const statement = prepare(text);
      if (/^\s*update\b.*\bcampaigns\b/i.test(text)) before(statement, 'all', noteStack);
      return statement;
    };
    return database;
  });
  onTestFinished(() => opened.mockRestore());
  const store = await openStore(join(temporaryFolder(), 'shop.db'));
  await using service = await serve({ store, seed: demoSeed(), port: 0 });
  const env = { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_ORG: '5', MKT_HISTORY: 'off' };
  const { io } = testIo({ env });

  // Where the request leaves, the row is written, the response leaves, and the result is printed.
  const stacks: string[][] = [];
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 200;
  onTestFinished(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  const noteStack = () => stacks.push(filesIn(new Error('here').stack));
  before(ClientRequest.prototype, 'end', (request) => {
    if ((request as ClientRequest).method === 'PATCH') noteStack();
  });
  before(ServerResponse.prototype, 'end', (response) => {
    if ((response as ServerResponse).req.method === 'PATCH') noteStack();
  });
  before(io.stdout.stream, 'write', noteStack);

  const session = new Session();
  session.connect();
  onTestFinished(() => session.disconnect());
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  expect(await run(['campaigns', 'update', '1', '--name', 'Second'], io)).toBe(0);
  const { result } = await session.post('Profiler.takePreciseCoverage');

  expect(stacks).toHaveLength(4);
  const passed = new Set(stacks.flat());
  expect([...passed].filter((path) => !named.includes(path))).toEqual([]);
  // The page names nothing that the call does not run.
  const ran = new Set(
    result.flatMap(({ url, functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0)
        ? filesIn(url)
        : [],
    ),
  );
  expect(named.filter((path) => !ran.has(path))).toEqual([]);
});
