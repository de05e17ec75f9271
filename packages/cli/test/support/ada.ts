import type { Server } from '@mkt/server/node';
import { afterEach, beforeEach } from 'vitest';
import { runCli, type Screen, type Terminal } from './run-cli.js';
import { startService, tokens } from './service.js';

/** A new service for each test of a file, and Ada, who works in organization 5. */
export function adaWithService() {
  let service: Server;
  let time = 0;
  beforeEach(async () => {
    time = Date.parse('2026-06-01T12:00:00Z');
    service = await startService({ clock: () => time });
  });
  afterEach(() => service.close());
  const ada = (argv: readonly string[], terminal: Terminal = {}): Promise<Screen> =>
    runCli(argv, {
      ...terminal,
      env: { MKT_TOKEN: tokens.ada_write, MKT_BASE_URL: service.url, MKT_ORG: '5', ...terminal.env },
    });
  return {
    ada,
    /** The output of `--json`. */
    json: async (...argv: readonly string[]) => JSON.parse((await ada([...argv, '--json'])).stdout),
    url: (): string => service.url,
    /** Sets the clock of the service. */
    setTime: (at: Date): void => {
      time = at.getTime();
    },
  };
}
