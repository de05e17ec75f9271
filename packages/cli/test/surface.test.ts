import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { surface } from './support/surface.js';

const file = join(import.meta.dirname, 'surface.txt');

// Scripts rely on each line. Additions are written into the file by this test; a removal has to be made by hand there,
// which is where a breaking change is seen and decided.
it('keeps every command, argument, flag, JSON field and exit code that was ever promised', async () => {
  const now = await surface();
  const promised = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  expect(promised.filter((line) => !now.includes(line))).toEqual([]);
  const text = `${now.join('\n')}\n`;
  if (process.env.CI)
    expect(now, 'Run `npm test -- --project cli surface`, and commit packages/cli/test/surface.txt.').toEqual(promised);
  else if (text !== `${promised.join('\n')}\n`) writeFileSync(file, text);
});
