import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controlAddition } from '@mkt/mock-server/node';
import { ServeError, serveCommand } from '@mkt/server/node';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

// The flags of `mkt serve`, in this process.
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-controls-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Ready {
  readonly url: string;
  readonly control: { readonly url: string; readonly token: string } | null;
}

/** Serves with these flags until `work` has ended. Returns its result and what was printed. */
async function serving<Result>(flags: readonly string[], work: (ready: Ready) => Promise<Result>) {
  const stop = new AbortController();
  let stdout = '';
  let result: Promise<Result> | undefined;
  const write = (text: string) => {
    stdout += text;
    if (stdout.includes('\n'))
      result ??= work(flags.includes('--json') ? JSON.parse(stdout) : {}).finally(() => stop.abort());
  };
  const io = { stdout: { write }, stderr: { write: () => undefined }, stop: stop.signal, addition: controlAddition };
  await serveCommand('serve', io).parseAsync(['--port', '0', ...flags], { from: 'user' });
  return { result: await result, stdout };
}

test('the control API is enabled for data in memory, disabled for stored data, and set by flags', async () => {
  const db = join(folder, 'kept.db');
  const cases: [string[], boolean][] = [
    [[], true],
    [['--no-control'], false],
    [['--db', db], false],
    [['--db', db, '--control'], true],
    [['--host', '0.0.0.0', '--seed', 'empty'], false],
  ];
  for (const [flags, on] of cases) {
    const { result } = await serving(['--json', ...flags], async ({ url, control }) => {
      expect(control?.url ?? null, flags.join(' ')).toBe(on ? `${url}/__mkt/v1` : null);
      const headers: Record<string, string> = control ? { Authorization: `Bearer ${control.token}` } : {};
      const status = async (init: RequestInit) => (await fetch(`${url}/__mkt/v1/requests`, init)).status;
      return [await status({ headers }), await status({})];
    });
    expect(result, flags.join(' ')).toEqual(on ? [200, 401] : [404, 404]);
  }
});

test.each([['--control'], ['--no-control']])('--strict prints mistakes in requests, with %s', async (control) => {
  const printed = vi.spyOn(console, 'error').mockReturnValue();
  await serving(['--json', '--strict', control], async ({ url }) => {
    const headers = { Accept: 'application/json', Authorization: 'Bearer mkt_demo_ada_write' };
    const list = `${url}/organizations/5/campaigns.json`;
    const json = { ...headers, 'Content-Type': 'application/json' };
    for (const status of [
      (await fetch(`${list}?per_page=5`, { headers })).status,
      (await fetch(list, { headers })).status,
      (await fetch(`${url}/sign_in`)).status,
    ])
      expect(status).toBe(200);
    await fetch(list, { method: 'POST', headers: json, body: '{"campaign":{"name":"A","cpmAmount":5}}' });
  });
  expect(printed.mock.calls.map(([text]) => text)).toEqual([
    expect.stringMatching(/^\[strict\] GET \S+per_page=5 -> 200: "per_page" is not a query parameter/),
    expect.stringMatching(/^\[strict\] POST \S+ -> 201: "cpmAmount" is not a field .* Did you mean cpm_amount\?/),
  ]);
  printed.mockRestore();
});

test('rejected uploads get their responses here, too', async () => {
  const { result } = await serving(['--json'], async ({ url }) =>
    Promise.all(
      ['/nowhere.json', '/__mkt/v1/clock', '/__mkt/v1/nowhere', '/sign_in'].map(
        (path) =>
          new Promise<number | undefined>((resolve, reject) => {
            const headers = { accept: 'application/json', 'content-type': 'text/plain', connection: 'close' };
            const sent = request(url + path, { method: 'PUT', headers });
            sent.on('error', reject).on('response', (response) => {
              response.resume();
              sent.on('close', () => resolve(response.statusCode));
            });
            sent.end(Buffer.alloc(5_000_000));
          }),
      ),
    ),
  );
  expect(result).toEqual([404, 401, 401, 404]);
});

test('the token can be chosen', async () => {
  const { result } = await serving(
    ['--json', '--control-token', 'chosen-by-me'],
    async ({ control }) => control?.token,
  );
  expect(result).toBe('chosen-by-me');
});

test('the ready message has the URLs of the control API and of its console', async () => {
  const { stdout } = await serving(['--control-token', 'a+b'], async () => undefined);
  expect(stdout).toMatch(
    /^ {2}Control {2}http:\/\/127\.0\.0\.1:\d+\/__mkt\/v1 \(token a\+b\)\n {2}Console {2}\S+\/__mkt#token=a%2Bb$/m,
  );
});

describe('rejects', () => {
  const errorFrom = async (...flags: string[]): Promise<unknown> => {
    const output = { write: () => undefined };
    const io = { stdout: output, stderr: output, stop: AbortSignal.abort(), addition: controlAddition };
    return serveCommand('serve', io)
      .parseAsync(['--port', '0', ...flags], { from: 'user' })
      .then(
        () => undefined,
        (error) => error,
      );
  };

  test.each(['', 'two words', 'tökén'])('a control token that does not fit in a header: %j', async (token) => {
    const error = await errorFrom('--control-token', token);
    expect(error).toBeInstanceOf(ServeError);
    expect(String(error)).toMatch(/The control token must consist of ASCII/);
  });

  test('a short control token if others can reach the server (D104)', async () => {
    const flags = ['--seed', 'empty', '--control', '--control-token', 'fifteen-letters'];
    for (const host of ['0.0.0.0', '::'])
      expect(String(await errorFrom('--host', host, ...flags))).toMatch(
        /The control token must have at least 16 characters on /,
      );
  });
});
