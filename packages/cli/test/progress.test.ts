import { PassThrough, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Progress } from '../src/output/progress.js';
import { run } from '../src/root/run-command.js';
import { widthOf } from '../src/text/width.js';
import { testIo } from './support/run-cli.js';
import { startService, tokens } from './support/service.js';

const CLEAR = '\r\u001b[2K';

/** What is on the line while `work` goes on. */
function lineOf(label: string, columns: number, counts: readonly number[], isTTY = true): string {
  const stream = new PassThrough();
  const progress = new Progress({ stream, isTTY, columns, rows: 24 }, label, true);
  const [done, total] = counts;
  if (done !== undefined) progress.update(done, total);
  vi.advanceTimersByTime(250);
  const lines = String(stream.read() ?? '').split(CLEAR);
  progress.end();
  return lines.at(-1) ?? '';
}

describe('progress on a terminal', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('has a bar if the total is known', () => {
    expect(lineOf('Pulling campaigns', 80, [300, 1000])).toBe(
      '⠋ Pulling campaigns ███████░░░░░░░░░░░░░░░░░ 300 of 1000',
    );
    expect(lineOf('Pulling campaigns', 80, [1000, 1000])).toContain(` ${'█'.repeat(24)} 1000 of 1000`);
    expect(lineOf('Pulling campaigns', 80, [300])).toBe('⠋ Pulling campaigns 300');
    expect(lineOf('Pulling campaigns', 80, [0, 0])).toBe('⠋ Pulling campaigns 0 of 0');
    expect(lineOf('Waiting for the service', 80, [])).toBe('⠋ Waiting for the service');
  });
  it('stays on one line: the bar gets shorter, and is left out where it would say little', () => {
    const label = 'Pulling campaigns';
    expect(widthOf(lineOf(label, 45, [300, 1000]))).toBeLessThan(45);
    expect(lineOf(label, 45, [300, 1000])).toMatch(/█░+ 300 of 1000$/);
    expect(lineOf(label, 38, [300, 1000])).toBe(`⠋ ${label} 300 of 1000`);
  });
  it('writes nothing to a pipe', () => expect(lineOf('Pulling campaigns', 80, [300, 1000], false)).toBe(''));
});

it.each([
  ['--json', '[\n'],
  ['--jq .[].name', 'Summer'],
  ['--format yaml', '- id'],
])('is erased before rows go to a program that may show them on the same terminal: %s', async (flags, start) => {
  const service = await startService({ latency: 400 });
  let screen = '';
  const stream = new Writable({
    write: (part, _, done) => {
      screen += part;
      done();
    },
  });
  const { io } = testIo({ env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url } });
  const { stdout, stderr } = io;
  const argv = ['campaigns', 'list', '--org', '5', '--limit', '3', ...flags.split(' ')];
  const code = await run(argv, { ...io, stdout: { ...stdout, stream }, stderr: { ...stderr, stream, isTTY: true } });
  await service.close();
  expect(code).toBe(0);
  expect(screen).toContain('⠋ Reading campaigns');
  expect(screen).toContain(CLEAR + start);
  expect(screen.slice(screen.indexOf(start))).not.toContain(CLEAR);
});
