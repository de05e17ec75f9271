import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { type BrowserServer, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /**
     * Answers with the WebSocket URL of a Chromium, which it starts when first asked; null where none is installed.
     * At `/whole` it is a whole browser, elsewhere one without windows if it is installed.
     */
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

const inPath = (...names: string[]): string | undefined =>
  names
    .flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)))
    .find(isProgram);

/** The Chromium or Chrome in PATH. */
export const chromiumProgram = (): string | undefined =>
  inPath('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable');

/** Set-up of the whole run: one Chromium for all test files, started only when a test asks for it. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  const whole = chromiumProgram();
  if (whole === undefined) {
    project.provide('chromiumDoor', null);
    return async () => undefined;
  }
  const browsers = new Map<string, Promise<BrowserServer>>();
  const browserOf = (executablePath: string): Promise<BrowserServer> => {
    const browser =
      browsers.get(executablePath) ??
      chromium.launchServer({
        executablePath,
        // A container runs as root, where Chromium has no sandbox. Pages live too shortly for V8 to gain what optimizing
        // them costs: a tenth of the CPU time.
        args: ['--no-sandbox', '--js-flags=--no-opt --no-maglev'],
        // Pages stay in memory after leaving them, as in the browsers of people.
        ignoreDefaultArgs: ['--disable-back-forward-cache'],
      });
    browsers.set(executablePath, browser);
    return browser;
  };
  const door = createServer((request, response) => {
    // A connection that is kept would be closed here just when a test, long after the last one, sends a request over it.
    response.setHeader('Connection', 'close');
    // Windows take half of the CPU time of most tests, and only a browser with windows keeps pages that were left.
    const program = request.url === '/whole' ? whole : (inPath('chromium-headless-shell') ?? whole);
    browserOf(program).then(
      (server) => response.end(server.wsEndpoint()),
      (error: unknown) => response.writeHead(500).end(`Chromium does not start: ${String(error)}`),
    );
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  project.provide('chromiumDoor', `http://127.0.0.1:${(door.address() as AddressInfo).port}`);
  return async () => {
    door.close();
    for (const browser of browsers.values()) await browser.then((server) => server.close());
  };
}
