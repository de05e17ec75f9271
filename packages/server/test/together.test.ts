import { expect, test } from 'vitest';
import { together } from '../src/node/together.js';

test('answers that are ready in the same turn leave together, at its end', async () => {
  const leave = together();
  const steps: string[] = [];
  const answer = async (name: string, work: Promise<unknown> = Promise.resolve()) => {
    await work;
    steps.push(`${name} ready`);
    await leave();
    steps.push(`${name} leaves`);
  };
  await Promise.all([answer('one'), answer('two'), answer('late', new Promise((done) => setTimeout(done, 30)))]);
  expect(steps).toEqual(['one ready', 'two ready', 'one leaves', 'two leaves', 'late ready', 'late leaves']);
});
