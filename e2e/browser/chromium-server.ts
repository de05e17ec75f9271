import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { type BrowserServer, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers with the WebSocket URL of a Chromium, which it starts when first asked; null where none is installed. */
    chromiumDoor: string | null;
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first Chromium or Chrome in PATH. */
export const chromiumProgram = (): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) =>
      ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map((name) => join(folder, name)),
    )
    .find(isProgram);

/** Set-up of the whole run: one Chromium for all test files, started only when a test asks for it. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const executablePath = chromiumProgram();
  if (executablePath === undefined) {
    project.provide('chromiumDoor', null);
    return async () => undefined;
  }
  let browser: Promise<BrowserServer> | undefined;
  const door = createServer((_, response) => {
    // A connection that is kept would be closed here just when a test, long after the last one, sends a request over it.
    response.setHeader('Connection', 'close');
    // A container runs as root, where Chromium has no sandbox. Pages live too shortly for V8 to gain what optimizing them
    // costs: a tenth of the CPU time.
    const args = ['--no-sandbox', '--js-flags=--no-opt --no-maglev'];
    // Pages stay in memory after leaving them, as in the browsers of people.
    const ignoreDefaultArgs = ['--disable-back-forward-cache'];
    browser ??= chromium.launchServer({ executablePath, args, ignoreDefaultArgs });
    browser.then(
      (server) => response.end(server.wsEndpoint()),
      (error: unknown) => response.writeHead(500).end(`Chromium does not start: ${String(error)}`),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  project.provide('chromiumDoor', `http://127.0.0.1:${(door.address() as AddressInfo).port}`);
  return async () => {
    door.close();
    await browser?.then((server) => server.close());
  };
}
