import { expect, test } from 'vitest';
import { batchWrites } from '../src/node/serve.js';

test('writes responses that are ready in the same turn together', async () => {
  const writeTogether = batchWrites();
  const steps: string[] = [];
  const respond = async (name: string, work: Promise<unknown> = Promise.resolve()) => {
    await work;
    steps.push(`${name} ready`);
    await writeTogether();
    steps.push(`${name} written`);
  };
  await Promise.all([respond('one'), respond('two'), respond('late', new Promise((done) => setTimeout(done, 30)))]);
  expect(steps).toEqual(['one ready', 'two ready', 'one written', 'two written', 'late ready', 'late written']);
});
