import { Command, InvalidArgumentError } from 'commander';
import { demoSeed, demoTokens } from '../seed/demo.js';
import { openStore } from './open-store.js';
import { serve } from './serve.js';

const wholeNumber = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
};

interface Flags {
  readonly port: number;
  readonly host: string;
  readonly db: string;
  readonly pageSize: number;
  readonly baseUrl?: string;
  readonly allowHost?: string[];
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** `mkt serve` and `npx @mkt/server`. */
export function serveCommand(name = 'serve'): Command {
  return new Command(name)
    .description('run the reference server')
    .option('--port <number>', 'port to listen on; 0 picks a free one', wholeNumber, 4010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--db <where>', 'where the data is kept: memory:, FILE.db or postgres://...', 'memory:')
    .option('--page-size <number>', 'items in a page', wholeNumber, 20)
    .option('--base-url <url>', 'public address, which url fields start with')
    .option('--allow-host <host...>', 'host that url fields may repeat from the Host header')
    .option('--json', 'print one JSON line when it is ready')
    .option('--quiet', 'print nothing')
    .action(start);
}

async function start(flags: Flags): Promise<void> {
  const server = await serve({
    store: await openStore(flags.db),
    seed: demoSeed(),
    port: flags.port,
    host: flags.host,
    pageSize: flags.pageSize,
    ...(flags.baseUrl === undefined ? {} : { baseUrl: flags.baseUrl }),
    allowHosts: flags.allowHost ?? [],
  });
  const ready = { url: server.url, db: flags.db, tokens: demoTokens, pid: process.pid };
  if (flags.json) process.stdout.write(`${JSON.stringify(ready)}\n`);
  else if (!flags.quiet) process.stdout.write(`${server.url}\n`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
}
