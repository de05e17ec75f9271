import { describe, expect, it } from 'vitest';
import { CliError } from '../src/errors/cli-error.js';
import { pastTime } from '../src/fields/past-time.js';

/** A Wednesday. */
const now = new Date('2026-07-15T12:30:00Z');
const at = (text: string, from = now): string => new Date(pastTime('since', text, from)).toISOString();

describe('a time in the past', () => {
  it.each([
    ['30m', '2026-07-15T12:00:00.000Z'],
    ['13m', '2026-07-15T12:17:00.000Z'],
    ['1min', '2026-07-15T12:29:00.000Z'],
    ['30min', '2026-07-15T12:00:00.000Z'],
    ['12h', '2026-07-15T00:30:00.000Z'],
    ['7d', '2026-07-08T12:30:00.000Z'],
    ['7D', '2026-07-08T12:30:00.000Z'],
    ['4w', '2026-06-17T12:30:00.000Z'],
    ['1mo', '2026-06-15T12:30:00.000Z'],
    ['12mo', '2025-07-15T12:30:00.000Z'],
    ['1 month', '2026-06-15T12:30:00.000Z'],
    ['2 Weeks ago', '2026-07-01T12:30:00.000Z'],
    ['3 days', '2026-07-12T12:30:00.000Z'],
    ['today', '2026-07-15T00:00:00.000Z'],
    ['Yesterday', '2026-07-14T00:00:00.000Z'],
    ['monday', '2026-07-13T00:00:00.000Z'],
    ['wednesday', '2026-07-15T00:00:00.000Z'],
    ['thursday', '2026-07-09T00:00:00.000Z'],
    ['2026-07-01', '2026-07-01T00:00:00.000Z'],
    ['2026-07-01T10:00:00+02:00', '2026-07-01T08:00:00.000Z'],
  ])('%s is %s', (text, time) => expect(at(text)).toBe(time));

  it('is the last day of a month that is shorter', () => {
    expect(at('1mo', new Date('2026-03-31T08:00:00Z'))).toBe('2026-02-28T08:00:00.000Z');
    expect(at('1mo', new Date('2026-12-31T08:00:00Z'))).toBe('2026-11-30T08:00:00.000Z');
  });

  it.each(['1m', '3m', '12m'])('does not guess whether %s is minutes or months', (text) => {
    const [, count] = /(\d+)/.exec(text) ?? [];
    expect(() => at(text)).toThrow(`--since: ${text} could be minutes or months: ${count}min or ${count}mo.`);
  });

  it.each(['7', '', 'someday', '2026-02-30', '1y', '-1d', '3ms', 'a month', '99999999999999d', '9999999999mo'])(
    'cannot be %j',
    (text) => {
      expect(() => at(text)).toThrow(CliError);
      expect(() => at(text)).toThrow('--since takes a date or an age');
    },
  );
});
