import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { describe, test } from 'vitest';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    // Not there, or not for us: the next place in PATH may have it.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

const executablePath = (process.env.PATH ?? '')
  .split(delimiter)
  .flatMap((folder) => names.map((name) => join(folder, name)))
  .find(isProgram);

const missing = 'No Chromium in PATH. Install one (Debian: apt-get install --no-install-recommends chromium).';

/** Tests in a real browser: skipped with a sentence where there is none, failed where REQUIRE_BROWSER=1 is set. */
export function describeInChromium(name: string, tests: () => void): void {
  if (executablePath) describe(name, tests);
  else if (process.env.REQUIRE_BROWSER === '1') {
    test(name, () => {
      throw new Error(missing);
    });
  } else test.skip(`${name} (skipped: ${missing})`);
}

/** A container runs as root, where Chromium has no sandbox. */
export const launch = (): Promise<Browser> =>
  chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] });
