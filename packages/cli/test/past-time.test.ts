import { afterEach, describe, expect, it } from 'vitest';
import { CliError } from '../src/errors/cli-error.js';
import { duration, pastTime } from '../src/fields/past-time.js';
import { clock, timeZone } from '../src/text/local-time.js';

/** A Wednesday. */
const now = new Date('2026-07-15T12:30:00Z');
const at = (text: string, from = now): string => new Date(pastTime('since', text, from)).toISOString();

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

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
    ['90 minutes', '2026-07-15T11:00:00.000Z'],
    ['1.5 hrs', '2026-07-15T11:00:00.000Z'],
    ['2hr ago', '2026-07-15T10:30:00.000Z'],
    ['30 sec', '2026-07-15T12:29:30.000Z'],
    ['2 wks', '2026-07-01T12:30:00.000Z'],
    ['2mos', '2026-05-15T12:30:00.000Z'],
    ['today', '2026-07-15T00:00:00.000Z'],
    ['Yesterday', '2026-07-14T00:00:00.000Z'],
    ['monday', '2026-07-13T00:00:00.000Z'],
    ['wednesday', '2026-07-15T00:00:00.000Z'],
    ['thursday', '2026-07-09T00:00:00.000Z'],
    ['2026-07-01', '2026-07-01T00:00:00.000Z'],
    ['2026-07-01T10:00:00+02:00', '2026-07-01T08:00:00.000Z'],
    ['2026-07-01T10:00', '2026-07-01T10:00:00.000Z'],
  ])('%s is %s', (text, time) => expect(at(text)).toBe(time));

  it('is the last day of a month that is shorter', () => {
    expect(at('1mo', new Date('2026-03-31T08:00:00Z'))).toBe('2026-02-28T08:00:00.000Z');
    expect(at('1mo', new Date('2026-12-31T08:00:00Z'))).toBe('2026-11-30T08:00:00.000Z');
  });

  it.each(['1m', '3m', '12m'])('does not guess whether %s is minutes or months', (text) => {
    const [, count] = /(\d+)/.exec(text) ?? [];
    expect(() => at(text)).toThrow(`--since: ${text} could be minutes or months: ${count}min or ${count}mo.`);
  });

  it.each([
    '7',
    '',
    'someday',
    '2026-02-30',
    '1y',
    '-1d',
    '3ms',
    'a month',
    '1.5mo',
    '7 d d',
    '99999999999999d',
    '99999999d',
    '9999999999mo',
    '2026-13-01',
  ])('cannot be %j', (text) => {
    expect(() => at(text)).toThrow(CliError);
    expect(() => at(text)).toThrow('--since takes a date or an age');
  });

  it.each(['2026-07-16', '2026-07-15T12:31:00Z', '2027-01-01'])('cannot be %s, which is in the future', (text) => {
    expect(() => at(text)).toThrow(`--since ${text} is in the future.`);
  });

  // At 02:00 on this Monday in Kolkata it is still Sunday in UTC.
  it.each([
    ['today', '2026-07-12T18:30:00.000Z'],
    ['monday', '2026-07-12T18:30:00.000Z'],
    ['yesterday', '2026-07-11T18:30:00.000Z'],
    ['2026-07-01', '2026-06-30T18:30:00.000Z'],
    ['2026-07-01T10:00', '2026-07-01T04:30:00.000Z'],
    ['2026-07-01T10:00Z', '2026-07-01T10:00:00.000Z'],
    ['7d', '2026-07-05T20:30:00.000Z'],
  ])('has the days of the time zone of the user: %s', (text, time) => {
    process.env.TZ = 'Asia/Kolkata';
    expect(at(text, new Date('2026-07-12T20:30:00Z'))).toBe(time);
  });

  it('begins a day at midnight on both sides of a change of the clocks', () => {
    process.env.TZ = 'Europe/Berlin';
    const monday = new Date('2026-03-30T08:00:00Z');
    expect(at('sunday', monday)).toBe('2026-03-28T23:00:00.000Z');
    expect(at('today', monday)).toBe('2026-03-29T22:00:00.000Z');
    expect(at('1mo', monday)).toBe('2026-02-28T09:00:00.000Z');
  });
});

describe('a length of time', () => {
  it.each([
    ['30s', 30],
    ['500ms', 0.5],
    ['90 sec', 90],
    ['10min', 600],
    ['10 minutes', 600],
    ['2m', 120],
    ['1.5 h', 5400],
    ['1hr', 3600],
    ['2 Days', 172_800],
    ['1wk', 604_800],
  ])('%s is %d seconds', (text, seconds) => expect(duration('every', text)).toBe(seconds * 1000));

  it('may lack the unit if there is a standard one', () => {
    expect(duration('timeout', '30', 's')).toBe(30_000);
    expect(() => duration('every', '30')).toThrow('--every takes a length of time, not "30".');
  });

  it.each(['', '0', '-5s', 's', '1mo', '1h30', '00:10', '25d', '1e3', 'P1D'])('cannot be %j', (text) => {
    expect(() => duration('timeout', text, 's')).toThrow(`--timeout takes a length of time, not "${text}".`);
  });
});

describe('a time that people read', () => {
  it('is that of their time zone', () => {
    process.env.TZ = 'Asia/Kolkata';
    expect(`${clock('2026-07-12T20:30:59Z')} ${timeZone()}`).toBe('2026-07-13 02:00 Asia/Calcutta');
    process.env.TZ = 'America/New_York';
    expect(`${clock('2026-11-01T03:30:00Z')} ${clock('2026-11-02T03:30:00Z')}`).toBe(
      '2026-10-31 23:30 2026-11-01 22:30',
    );
  });
});
