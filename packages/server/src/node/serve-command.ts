import { Command, Option } from 'commander';
import type { KeptStore, Store } from '../store/store.js';
import * as flags from './flags.js';
import type { RunOptions, ServeIo } from './run.js';

interface ServeFlags extends Omit<RunOptions, 'output' | 'allowHosts' | 'prefillAllow' | 'metrics'> {
  readonly allowHost?: readonly string[];
  readonly prefillAllow?: readonly string[];
  readonly metrics?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const dbFlag = () =>
  new Option('--db <where>', 'where the data is: memory:, FILE.db or postgres://...')
    .env('MKT_SERVE_DB')
    .default('memory:');

/**
 * `mkt serve` and `npx @mkt/server`: the flags alone; what they start is loaded when it is started. Its actions throw
 * `ServeError` for what the user can mend.
 */
export function serveCommand(name = 'serve', io: ServeIo = process): Command {
  const command = new Command(name);
  command
    .description('run the reference server')
    .enablePositionalOptions()
    .option('--port <number>', 'port to listen on; 0 picks a free one', flags.port, 4010)
    .option('--host <address>', 'address to listen on', flags.host, '127.0.0.1')
    .addOption(dbFlag())
    .option(
      '--db-connections <number>',
      'connections to PostgreSQL that this process opens at most (10)',
      flags.connections,
    )
    .option('--seed <name>', 'what an empty store starts with: demo, empty, large or FILE (demo in memory, else empty)')
    .option('--page-size <number>', 'items in a page', flags.pageSize, 20)
    .option('--base-url <url>', 'public address, which url fields start with', flags.baseUrl)
    .option('--allow-host <host>', 'host that url fields may repeat from the Host header; repeatable', flags.repeated)
    .option('--cors <origins>', 'web origins that may call: a list with commas, * or off (this machine)', flags.cors)
    .option('--rate-limit <limit>', 'answer 429 above it, such as 60/min', flags.rateLimit)
    .option('--latency <ms>', 'milliseconds that every answer waits', flags.latency, 0)
    .addOption(
      new Option(
        '--drain-delay <seconds>',
        'seconds to go on serving after SIGTERM while /readyz is 503; a load balancer needs them',
      )
        .argParser(flags.seconds(0))
        .default(0, '0'),
    )
    .addOption(
      new Option('--idle-timeout <seconds>', 'seconds to keep a connection without a request')
        .argParser(flags.seconds(1))
        .default(65_000, '65'),
    )
    .addOption(
      new Option('--write-timeout <seconds>', 'seconds until a client that reads nothing is disconnected')
        .argParser(flags.seconds(1))
        .default(30_000, '30'),
    )
    .option(
      '--max-connections <number>',
      'connections at once; more are closed immediately',
      flags.maxConnections,
      10_000,
    )
    .option('--prefill-allow <host:port>', 'private host that ?website= may read; repeatable', flags.hostAndPort)
    .option('--control', 'answer the control API (on in memory, off for kept data)')
    .option('--no-control', 'do not answer the control API')
    .addOption(
      new Option('--control-token <token>', 'token of the control API; random by default').env(
        'MKT_SERVE_CONTROL_TOKEN',
      ),
    )
    .option('--metrics', 'answer /metrics for Prometheus')
    .option('--audit <file>', 'append a JSON line for each successful write: when, who, what, digests')
    .option('--json', 'print one JSON line when ready, then one for each answer')
    .option('--quiet', 'print nothing but the first token of a new store')
    .action(async () => {
      const { run } = await import('./run.js');
      await run(runOptions(command.optsWithGlobals()), io);
    });
  command.addCommand(usersCommand(io));
  command.addCommand(tokensCommand(io));
  command.addCommand(exportCommand(io));
  command.addCommand(backupCommand(io));
  command.addCommand(restoreCommand(io));
  return command;
}

/** By name: the command line that `serve` is mounted in has global flags of its own. */
function runOptions(given: ServeFlags): RunOptions {
  const { port, host, db, seed, pageSize, baseUrl, cors, rateLimit, latency, control, controlToken } = given;
  const { dbConnections, drainDelay, idleTimeout, writeTimeout, maxConnections } = given;
  return {
    port,
    host,
    db,
    latency,
    drainDelay,
    idleTimeout,
    writeTimeout,
    maxConnections,
    ...(dbConnections !== undefined && { dbConnections }),
    ...(seed !== undefined && { seed }),
    ...(pageSize !== undefined && { pageSize }),
    ...(baseUrl !== undefined && { baseUrl: flags.baseUrl(baseUrl) }),
    ...(cors !== undefined && { cors }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(control !== undefined && { control }),
    ...(controlToken !== undefined && { controlToken }),
    ...(given.audit !== undefined && { audit: given.audit }),
    allowHosts: given.allowHost ?? [],
    prefillAllow: given.prefillAllow ?? [],
    metrics: given.metrics ?? false,
    output: given.json ? 'json' : given.quiet ? 'quiet' : 'text',
  };
}

/** `--db` may stand before the sub-command or after it: the nearest one that was given counts. */
function dbOf(command: Command): string {
  for (let at: Command | null = command; at; at = at.parent) {
    if ((at.getOptionValueSource('db') ?? 'default') !== 'default') return at.getOptionValue('db') as string;
  }
  return command.getOptionValue('db') as string;
}

function usersCommand(io: ServeIo): Command {
  const add = new Command('add')
    .description('add a user to a kept store')
    .argument('<email>', 'e-mail address', flags.email)
    .option('--name <name>', 'full name; by default what stands before the @')
    .addOption(dbFlag())
    .action(async (email: string, { name }: { readonly name?: string }, command: Command) => {
      const { addUser, withStore } = await import('./accounts.js');
      await withStore(dbOf(command), (store) => addUser(store, email, name ?? email.replace(/@.*$/, '')));
      io.stderr.write(`Added ${email}. To let them in: mkt serve tokens add ${email} --permission write\n`);
    });
  return new Command('users').description('people of a kept store').addCommand(add);
}

function tokensCommand(io: ServeIo): Command {
  const add = new Command('add')
    .description('make an access token for a user of a kept store, and print it this once')
    .argument('<email>', 'e-mail address', flags.email)
    .requiredOption('--permission <permission>', 'read or write', flags.permission)
    .option('--description <text>', 'what it is for', 'Made by the server')
    .addOption(dbFlag())
    .action(async (email: string, _flags: unknown, command: Command) => {
      const { addToken, withStore } = await import('./accounts.js');
      const { permission, description } = command.opts() as { permission: string; description: string };
      const work = (store: Store) => addToken(store, email, { permission, description });
      const secret = await withStore(dbOf(command), work, { mustExist: true });
      io.stdout.write(`${secret}\n`);
    });
  return new Command('tokens').description('access tokens of a kept store').addCommand(add);
}

function exportCommand(io: ServeIo): Command {
  return new Command('export')
    .description('print a kept store as a seed file, without access tokens')
    .addOption(dbFlag())
    .action(async (_flags: unknown, command: Command) => {
      const [{ withStore }, { exportSeed }] = await Promise.all([import('./accounts.js'), import('../seed/file.js')]);
      const work = async (store: Store) => exportSeed(await store.dump());
      io.stdout.write(await withStore(dbOf(command), work, { mustExist: true }));
    });
}

function backupCommand(io: ServeIo): Command {
  return new Command('backup')
    .description('write everything in a kept store to a file, digests of access tokens included; the server may run')
    .requiredOption(
      '--out <file>',
      'file to write, readable by its owner only; it is replaced when the backup is complete',
    )
    .addOption(dbFlag())
    .action(async ({ out }: { readonly out: string }, command: Command) => {
      const [{ moment, withStore }, { writeBackup }] = await Promise.all([
        import('./accounts.js'),
        import('./backup-file.js'),
      ]);
      const work = (store: KeptStore) => writeBackup(out, store.backup(), moment());
      const count = await withStore(dbOf(command), work, { mustExist: true });
      io.stderr.write(`Backed up ${count} rows to ${out}.\n`);
    });
}

function restoreCommand(io: ServeIo): Command {
  return new Command('restore')
    .description('fill an empty kept store from a backup, of SQLite or PostgreSQL alike')
    .requiredOption('--from <file>', 'file that "serve backup" has written')
    .addOption(dbFlag())
    .action(async ({ from }: { readonly from: string }, command: Command) => {
      const [{ withStore }, { restoreBackup }] = await Promise.all([
        import('./accounts.js'),
        import('./backup-file.js'),
      ]);
      const count = await restoreBackup(from, (work) => withStore(dbOf(command), work));
      io.stderr.write(`Restored ${count} rows from ${from}.\n`);
    });
}
