import { type Browser, chromium } from 'playwright-core';
import { describe, inject, test } from 'vitest';
import type {} from './chromium-server.js';

const missing = 'No Chromium in PATH. Install one (Debian: apt-get install --no-install-recommends chromium).';

/** Tests in a real browser: skipped with a sentence where there is none, failed where REQUIRE_BROWSER=1 is set. */
export function describeInChromium(name: string, tests: () => void): void {
  if (inject('chromiumDoor') !== null) describe(name, tests);
  else if (process.env.REQUIRE_BROWSER === '1') {
    test(name, () => {
      throw new Error(missing);
    });
  } else test.skip(`${name} (skipped: ${missing})`);
}

/** The WebSocket URL of the browser of this run. */
export async function chromiumUrl(path = '/'): Promise<string> {
  const response = await fetch(new URL(path, inject('chromiumDoor') ?? ''));
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return answer;
}

/** The browser of this run, with contexts of one's own: `close()` closes those only. */
export const connectToChromium = async (): Promise<Browser> => chromium.connect(await chromiumUrl());

/** The same with windows, for what only those do, such as keeping pages that were left. */
export const connectToWholeChromium = async (): Promise<Browser> => chromium.connect(await chromiumUrl('/whole'));
