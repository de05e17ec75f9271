import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Progress } from '../src/output/progress.js';
import { widthOf } from '../src/text/width.js';

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
