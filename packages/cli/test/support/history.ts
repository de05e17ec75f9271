import { join } from 'node:path';
import { sqliteDriver } from '@mkt/server/sqlite';
import { adaWithService } from './ada.js';
import { type Screen, type Terminal, temporaryFolder } from './run-cli.js';
import { tokens } from './service.js';

/** What a query of a history finds. */
export async function queried(file: string, query: string): Promise<Record<string, unknown>[]> {
  const database = (await sqliteDriver()).open(file, { readOnly: true });
  try {
    // A process that closes the file locks it for a moment.
    database.exec('pragma busy_timeout = 5000');
    return database
      .prepare(query)
      .all()
      .map((row) => ({ ...row }));
  } finally {
    database.close();
  }
}

/** A service, Ada with a history of her own, and another client that changes what it likes. */
export function adaWithHistory() {
  const { ada: plain, url, setTime } = adaWithService();
  return {
    url,
    setTime,
    /** A new history. The clocks of the service and of the machine go on by an hour with each command. */
    history({ serviceTime = (machine: () => Date) => machine() } = {}) {
      const file = join(temporaryFolder(), 'history.db');
      let hours = 0;
      const now = () => new Date(Date.parse('2026-06-01T12:00:00Z') + hours * 3_600_000);
      const ada = async (argv: readonly string[], terminal: Terminal = {}): Promise<Screen> => {
        hours += 1;
        setTime(serviceTime(terminal.now ?? now));
        return plain(argv, { now, ...terminal, env: { MKT_HISTORY: file, ...terminal.env } });
      };
      return {
        file,
        ada,
        json: async (...argv: readonly string[]) => JSON.parse((await ada([...argv, '--json'])).stdout),
        find: (query: string) => queried(file, query),
      };
    },
    async elsewhere(method: string, path: string, fields?: Readonly<Record<string, unknown>>): Promise<unknown> {
      const response = await fetch(`${url()}/organizations/5${path}.json`, {
        method,
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${tokens.ada_write}`,
          ...(fields !== undefined && { 'content-type': 'application/json' }),
        },
        ...(fields !== undefined && { body: JSON.stringify(fields) }),
      });
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
      return response.status === 204 ? undefined : response.json();
    },
  };
}
