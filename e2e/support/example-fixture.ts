import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectControl } from '@mkt/mock-server/control';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type Workshop, workshop } from './scripts.js';
import { type Serving, serving } from './serving.js';

/** What the tests of an example work with. It is there while a test runs. */
interface ExampleFixture {
  /** `mkt serve` with the demo data, as it is in the beginning. One for all tests of a file: a start takes long. */
  service: Serving;
  /** A copy of the example's folder for each test. */
  shop: Workshop;
}

/** Machines that run the tests are busy. Milliseconds. */
const patience = 60_000;

/** Sets the fixture for the tests of a file. @param example The folder of the example. */
export function exampleFixture(example: string): ExampleFixture {
  const fixture = {} as ExampleFixture;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mkt-fixture-'));
    fixture.service = await serving(folder, ['--seed', 'demo']);
  }, patience);
  beforeEach(async () => {
    const { control } = fixture.service;
    if (control === null) throw new Error('The control API is off.');
    await connectControl(control).reset();
    fixture.shop = workshop(example);
  }, patience);
  afterEach(() => fixture.shop?.close());
  afterAll(async () => {
    await fixture.service?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, patience);
  return fixture;
}
