import { expect, test } from 'vitest';
import { texts, time } from '../src/contract/fields.js';
import { codesOnly, problemOf, problemText } from '../src/contract/problems.js';

const problems = (schema: ReturnType<typeof texts> | ReturnType<typeof time>, value: unknown) =>
  schema.safeParse(value, codesOnly).error?.issues.map((issue) => problemText(problemOf(issue))) ?? [];

test('a list of texts holds what people write, each once, and nothing that separates items', () => {
  expect(problems(texts(), [])).toEqual([]);
  expect(problems(texts(), ['Summer sale', 'glow'])).toEqual([]);
  expect(problems(texts(), ['glow', 'glow'])).toEqual(['must not contain anything twice']);
  for (const blank of [' ', '\u200b', '\u2060 \ufe0f'])
    expect(problems(texts(), [blank])).toEqual(['must not be blank']);
  for (const text of ['a,b', 'a;b', 'a\nb'])
    expect(problems(texts(), [text])).toEqual(['must not contain a comma, semicolon or line break']);
  expect(
    problems(
      texts(),
      Array.from({ length: 51 }, (_, at) => `tag ${at}`),
    ),
  ).toEqual(['must be a list of at most 50 values']);
});

test('a time is one of a response', () => {
  expect(problems(time(), '2026-06-01T12:00:00Z')).toEqual([]);
  for (const text of ['2026-06-01', '2026-06-01T12:00:00+02:00', '2026-06-01T12:00:00.5Z', 'x'])
    expect(problems(time(), text)).toEqual(['must be a time in UTC, such as 2026-06-01T12:00:00Z']);
  for (const text of ['2026-02-30T12:00:00Z', '2026-06-01T25:00:00Z', '0000-06-01T12:00:00Z'])
    expect(problems(time(), text)).toEqual(['must be a time that exists']);
});
