import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportService } from './import.js';

/** A file of so many rows, named `Row 1` and so on. */
export const rows = (count: number, name = (row: number) => `Row ${row}`): string =>
  ['name,cpm_amount', ...Array.from({ length: count }, (_, row) => `${name(row + 1)},${row + 1}`)].join('\n');

/** The names of the campaigns that are there, sorted. */
export const names = async (service: ImportService): Promise<string[]> =>
  (await service.stored()).map(({ name }) => name).sort();

/** What `names` gives when each row of `rows` was created once. */
export const expected = (count: number): string[] => Array.from({ length: count }, (_, row) => `Row ${row + 1}`).sort();

/** The fixed clock of these runs, long after what a report says: nothing has to be waited for. */
const LONG_AGO = '2026-06-01T11:00:00.000Z';

/** Rewrites the report as a crash would have left it. */
export function crash(service: ImportService, change: (lines: string[]) => string[]): void {
  const lines = service.read('x.import.ndjson').trimEnd().split('\n');
  const aged = lines.map((line) => line.replace(/"at":"[^"]+"/, `"at":"${LONG_AGO}"`));
  writeFileSync(join(service.folder, 'x.import.ndjson'), change(aged).join(''));
}

/** Every line whole, its end included. */
export const whole = (lines: readonly string[]): string[] => lines.map((line) => `${line}\n`);
