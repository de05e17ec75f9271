import { expect, test } from 'vitest';
import { Memo } from '../src/http/memo.js';

test('what was made of the last objects is remembered, what was made of old ones is not', () => {
  const memo = new Memo<object, string>(2);
  const [first, second, third, fourth, fifth] = [{}, {}, {}, {}, {}];
  expect(memo.get(first)).toBeUndefined();
  expect(memo.set(first, '1')).toBe('1');
  memo.set(second, '2');
  memo.set(third, '3');
  // Asked for, so young again; `second` is not, and goes when two more have come.
  expect(memo.get(first)).toBe('1');
  memo.set(fourth, '4');
  memo.set(fifth, '5');
  expect([first, second, fourth, fifth].map((key) => memo.get(key))).toEqual(['1', undefined, '4', '5']);
});
