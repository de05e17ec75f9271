import { Command, InvalidArgumentError, Option } from 'commander';
import type { CorsPolicy } from '../http/cors.js';
import { differencesIn, type Like, serviceDifferences } from '../http/like.js';
import type { RateLimit } from '../http/rate-limit.js';
import { countOf, lengths } from '../rules/durations.js';
import type { PersistentStore } from '../store/store.js';
import { ServeError } from './errors.js';
import { hostNamed } from './host.js';
import type { OpenOptions } from './open-store.js';
import { shownDb, table } from './ready-message.js';
import type { ServeFlags, ServeIo } from './run.js';

const dbFlag = () =>
  new Option('--db <where>', 'Where to store the data: memory:, FILE.db or postgres://...')
    .env('MKT_SERVE_DB')
    .default('memory:');

/** Counts in milliseconds. */
const secondsFlag = (flag: string, description: string, seconds: number) =>
  new Option(flag, description)
    .argParser((text) => wholeNumber(Math.min(seconds, 1), 3600)(text) * 1000)
    .default(seconds * 1000, String(seconds));

/**
 * `mkt serve` and `npx @mkt/server`. Only the flags are defined here: each command loads its code when it runs. Actions throw
 * `ServeError` for what the user can correct.
 */
export function serveCommand(name = 'serve', io: ServeIo = process): Command {
  const command = new Command(name);
  command
    .description('Run the reference server')
    .enablePositionalOptions()
    .option('--port <number>', 'Port to listen on; 0 picks a free one', wholeNumber(0, 65_535), 4010)
    .option('--host <address>', 'Address to listen on', parseHost, '127.0.0.1')
    .addOption(dbFlag())
    .option('--db-connections <number>', 'Maximum number of connections to PostgreSQL (10)', wholeNumber(1, 1000))
    .option(
      '--connect-timeout <seconds>',
      'Seconds to wait for a connection to each host of PostgreSQL (2)',
      (text: string) => wholeNumber(1, 3600)(text) * 1000,
    )
    .option(
      '--seed <name>',
      'Initial data for an empty store: demo, empty, large or FILE (demo in memory, otherwise empty)',
    )
    .addOption(
      new Option(
        '--ids <format>',
        'Ids of a new store: integer, as in the API document, or opaque, short random texts as the service returns (integer)',
      ).choices(['integer', 'opaque']),
    )
    .addOption(
      new Option(
        '--like <service>',
        'Responses as in the API document, like the live service, or with some of its differences, separated by commas (document)',
      )
        .choices(['document', 'live', ...serviceDifferences])
        .argParser(parseLike),
    )
    .option('--page-size <number>', 'Items per page (20; for a twin, those of its source)', wholeNumber(1, 1000))
    .option('--base-url <url>', 'Public URL of the server, used in url fields', parseBaseUrl)
    .option(
      '--allow-host <host>',
      'Another name of this server in Host headers, also used in url fields; repeatable',
      parseAllowHost,
    )
    .option(
      '--address-header <name>',
      "Header in which a proxy names the client's address, such as X-Real-IP; clients must not connect without the proxy",
      parseHeaderName,
    )
    .option('--cors <origins>', 'Allowed web origins, separated by commas, or * or off (this machine)', parseCors)
    .option(
      '--rate-limit <limit>',
      'Requests per token, such as 60/min; above it the server responds with 429',
      parseRateLimit,
    )
    .option('--latency <time>', 'Delay of every response in milliseconds, or such as 1s', parseLatency, 0)
    .addOption(
      secondsFlag(
        '--drain-delay <seconds>',
        'Seconds to continue after SIGTERM with /readyz at 503, for load balancers',
        0,
      ),
    )
    .addOption(secondsFlag('--idle-timeout <seconds>', 'Seconds until a connection without requests is closed', 65))
    .addOption(
      secondsFlag('--write-timeout <seconds>', 'Seconds until a client that reads nothing is disconnected', 30),
    )
    .option(
      '--max-connections <number>',
      'Maximum number of connections; then idle ones of the address with the most are closed',
      wholeNumber(1, 1_000_000),
      10_000,
    )
    .option(
      '--max-body-memory <size>',
      'Memory for all request bodies that arrive at once; each caller may use a third',
      parseSize,
      64 * MiB,
    )
    .option('--prefill-allow <host:port>', 'Private host that ?website= may read; repeatable', parseHostAndPort);
  io.addition?.addFlags(command);
  command
    .option(
      '--metrics-port <number>',
      'Serve metrics for Prometheus on a port of their own, such as 9464; 0 picks a free one',
      wholeNumber(0, 65_535),
    )
    .option('--metrics-host <address>', 'Address for the metrics (127.0.0.1)', parseHost)
    .option('--audit <file>', 'Append a JSON line to this file for each successful write')
    .option('--token-file <file>', 'Write the first token of a new store to this file, which only its owner can read')
    .option('--json', 'Print one JSON line when ready, then one per response')
    .option('--quiet', 'Print nothing but the first token of a new store')
    .action(async () => (await import('./run.js')).run(command.opts<ServeFlags>(), io));
  const access = [usersCommand, membersCommand, tokensCommand];
  for (const make of [checkCommand, ...access, exportCommand, backupCommand, restoreCommand]) {
    const each = make(io);
    command.addCommand(each);
    for (const leaf of each.commands.length > 0 ? each.commands : [each]) leaf.addOption(dbFlag());
  }
  return command;
}

/** `--db` may precede or follow the subcommand: the closest one is used. */
function dbOf(command: Command): string {
  for (let at: Command | null = command; at; at = at.parent) {
    if ((at.getOptionValueSource('db') ?? 'default') !== 'default') return at.getOptionValue('db') as string;
  }
  return command.getOptionValue('db') as string;
}

/** Runs `work` with the store that `--db` names. */
async function inStore<Result>(
  command: Command,
  work: (store: PersistentStore) => Promise<Result>,
  options: OpenOptions = { mustExist: true },
): Promise<Result> {
  const { withStore } = await import('./open-store.js');
  return withStore(dbOf(command), work, options);
}

/** The same command of this program with other arguments, on the same store. */
function commandLine(command: Command, args: string): string {
  const names: string[] = [];
  for (let at = command.parent?.parent; at; at = at.parent) names.unshift(at.name());
  const db = shownDb(dbOf(command));
  return [...names, args, ...(process.env.MKT_SERVE_DB === dbOf(command) ? [] : [`--db ${db}`])].join(' ');
}

const printRows = (io: ServeIo, heads: readonly string[], rows: readonly (readonly string[])[]): void => {
  for (const line of table([heads, ...rows])) io.stdout.write(`${line.trimStart()}\n`);
};

function checkCommand(io: ServeIo): Command {
  return new Command('check')
    .description('Check that a persistent store can be served: its schema, and that it can be written')
    .action(async (_flags: unknown, command: Command) => {
      await inStore(command, (store) => store.ping());
      io.stderr.write(`${shownDb(dbOf(command))} can be served.\n`);
    });
}

function usersCommand(io: ServeIo): Command {
  const add = new Command('add')
    .description('Add a user to a persistent store')
    .argument('<email>', 'E-mail address', parseEmail)
    .option('--name <name>', 'Full name; by default the part before the @')
    .action(async (email: string, { name }: { readonly name?: string }, command: Command) => {
      const { addUser } = await import('./accounts.js');
      await inStore(command, (store) => addUser(store, email, name ?? email.replace(/@.*$/, '')));
      const next = commandLine(command, `tokens add ${email} --permission write`);
      io.stderr.write(`Added ${email}. To create a token: ${next}\n`);
    });
  const list = new Command('list')
    .description('List the users of a persistent store, with the number of their tokens')
    .action(async (_flags: unknown, command: Command) => {
      const { listUsers } = await import('./accounts.js');
      printRows(io, ['EMAIL', 'NAME', 'TOKENS'], await inStore(command, listUsers));
    });
  const disable = new Command('disable')
    .description('Revoke all tokens of a user, which ends their sessions')
    .argument('<email>', 'E-mail address', parseEmail)
    .action(async (email: string, _flags: unknown, command: Command) => {
      const { disableUser } = await import('./accounts.js');
      const count = await inStore(command, (store) => disableUser(store, email));
      const again = commandLine(command, `tokens add ${email} --permission write`);
      io.stderr.write(
        `Revoked ${count} ${count === 1 ? 'token' : 'tokens'} of ${email}. To give access again: ${again}\n`,
      );
    });
  return withCommands('users', 'Manage the users of a persistent store', [add, list, disable]);
}

function membersCommand(io: ServeIo): Command {
  const add = new Command('add')
    .description('Add a user to an organization of a persistent store')
    .argument('<email>', 'E-mail address', parseEmail)
    .requiredOption('--organization <id>', 'Id of the organization')
    .addOption(new Option('--role <role>', 'Role of the member').choices(['admin', 'member']).makeOptionMandatory())
    .action(async (email: string, member: { organization: string; role: string }, command: Command) => {
      const { addMember } = await import('./accounts.js');
      const name = await inStore(command, (store) => addMember(store, email, member));
      io.stderr.write(`Added ${email} to ${name}, as ${member.role}.\n`);
    });
  return withCommands('members', 'Manage the members of organizations of a persistent store', [add]);
}

function tokensCommand(io: ServeIo): Command {
  const add = new Command('add')
    .description('Create an access token for a user of a persistent store; it is shown only once')
    .argument('<email>', 'E-mail address', parseEmail)
    .addOption(new Option('--permission <permission>').choices(['read', 'write']).makeOptionMandatory())
    .option('--description <text>', 'What it is for', 'Made by the server')
    .action(async (email: string, token: { permission: string; description: string }, command: Command) => {
      const { addToken } = await import('./accounts.js');
      const { printed } = await import('./logs.js');
      const show = (secret: string) => printed(io.stdout, `${secret}\n`);
      await inStore(command, (store) => addToken(store, email, token, show));
    });
  const list = new Command('list')
    .description('List the access tokens of a persistent store, or of one of its users, without their secrets')
    .argument('[email]', 'E-mail address', parseEmail)
    .action(async (email: string | undefined, _flags: unknown, command: Command) => {
      const { listTokens } = await import('./accounts.js');
      const rows = await inStore(command, (store) => listTokens(store, email));
      printRows(io, ['ID', 'USER', 'PERMISSION', 'CREATED', 'DESCRIPTION'], rows);
    });
  const revoke = new Command('revoke')
    .description('Revoke an access token of a persistent store, which ends its sessions')
    .argument('<id>', 'Id of the token')
    .action(async (id: string, _flags: unknown, command: Command) => {
      const { revokeToken } = await import('./accounts.js');
      await inStore(command, (store) => revokeToken(store, id));
      io.stderr.write(`Revoked token ${id}.\n`);
    });
  return withCommands('tokens', 'Manage the access tokens of a persistent store', [add, list, revoke]);
}

function withCommands(name: string, description: string, commands: readonly Command[]): Command {
  const group = new Command(name).description(description);
  for (const each of commands) group.addCommand(each);
  return group;
}

function exportCommand(io: ServeIo): Command {
  return new Command('export')
    .description('Print a persistent store as a seed file, without access tokens')
    .action(async (_flags: unknown, command: Command) => {
      const { exportSeed } = await import('../seed/file.js');
      io.stdout.write(await inStore(command, async (store) => exportSeed(await store.dump(), store.ids)));
    });
}

function backupCommand(io: ServeIo): Command {
  return new Command('backup')
    .description(
      'Write all data of a persistent store to a file, including digests of access tokens; the server may be running',
    )
    .option(
      '--out <file>',
      'File to write, readable by its owner only; it is replaced when the backup is complete; - is stdout',
    )
    .option('--verify [file]', 'Read a backup to its end: the one that --out wrote, or another file')
    .action(async ({ out, verify }: { readonly out?: string; readonly verify?: string | true }, command: Command) => {
      const verified = verify === true ? out : verify;
      if (verified === undefined && out === undefined)
        throw new ServeError('Name the file to write: --out FILE. To check an existing backup: --verify FILE');
      if (verify === true && out === '-')
        throw new ServeError('Name the file to check: --verify FILE, or --out FILE --verify.');
      const { verifyBackup, writeBackup } = await import('./backup-file.js');
      if (out !== undefined) {
        const count = await inStore(command, (store) => writeBackup(out, store, dbOf(command)));
        io.stderr.write(`Backed up ${count} rows to ${out === '-' ? 'stdout' : out}.\n`);
      }
      if (verified !== undefined)
        io.stderr.write(`${verified} is complete: ${await verifyBackup(verified)} rows can be read.\n`);
    });
}

function restoreCommand(io: ServeIo): Command {
  return new Command('restore')
    .description('Fill an empty persistent store from a backup of SQLite or PostgreSQL')
    .requiredOption('--from <file>', 'File that "serve backup" has written; - is stdin')
    .action(async ({ from }: { readonly from: string }, command: Command) => {
      const { restoreBackup } = await import('./backup-file.js');
      const count = await restoreBackup(from, (work, ids) => inStore(command, work, { ids }));
      io.stderr.write(`Restored ${count} rows from ${from === '-' ? 'stdin' : from}.\n`);
    });
}

const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Use a whole number from ${least} to ${most}.`);
  };

const MiB = 1024 * 1024;

/** `64MiB`. A third must be enough for an upload. */
function parseSize(text: string): number {
  const number = Number(/^(\d{2,6})MiB$/.exec(text)?.[1]);
  if (!(number >= 32)) throw new InvalidArgumentError('Use a size of at least 32MiB, such as 64MiB.');
  return number * MiB;
}

/** `200`, `200ms` or `1.5 s`, in milliseconds. */
function parseLatency(text: string): number {
  const { count = Number.NaN, unit = '' } = countOf(text) ?? {};
  const latency = count * (lengths[unit || 'ms'] ?? Number.NaN);
  if (latency >= 0 && latency <= 600_000) return latency;
  throw new InvalidArgumentError('Use at most 600000 milliseconds, such as 200, 200ms or 1s.');
}

/** `60/min` */
function parseRateLimit(text: string): RateLimit {
  const [, requests, word = ''] = /^([1-9]\d{0,8}) ?\/ ?([a-z]+)$/i.exec(text) ?? [];
  const seconds = (lengths[countOf(`1${word}`)?.unit ?? ''] ?? 0) / 1000;
  if (requests !== undefined && seconds >= 1) return { requests: Number(requests), seconds };
  throw new InvalidArgumentError('Use requests per s, min, h or d, such as 60/min.');
}

/** `*`, `off`, or comma-separated origins. */
function parseCors(text: string): CorsPolicy {
  if (text === '*' || text === 'off') return text;
  return text.split(',').map((part) => {
    const origin = URL.canParse(part.trim()) ? new URL(part.trim()) : null;
    if (origin === null || origin.origin === 'null' || origin.href !== `${origin.origin}/`) {
      throw new InvalidArgumentError('Use *, off, or origins such as https://app.example.com,http://localhost:3000.');
    }
    return origin.origin;
  });
}

/** `document`, `live`, or comma-separated differences. */
function parseLike(text: string): Like {
  const like = text === 'document' || text === 'live' ? text : text.split(',').map((part) => part.trim());
  if (differencesIn(like)) return like as Like;
  throw new InvalidArgumentError(`Use document, live, or some of ${serviceDifferences.join(',')}.`);
}

function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new InvalidArgumentError('Use an http or https URL, such as https://api.example.com.');
  }
  return url.href.replace(/\/+$/, '');
}

/** An address to listen on. IPv6 addresses may have the brackets that they have in URLs. */
export function parseHost(text: string): string {
  const address = text.replace(/^\[(.*)\]$/, '$1');
  if (!/^[^\s/[\]]+$/.test(address))
    throw new InvalidArgumentError('Use an address of this machine, such as 127.0.0.1.');
  return address;
}

function parseHeaderName(text: string): string {
  if (!/^[A-Za-z][\w-]{0,99}$/.test(text))
    throw new InvalidArgumentError('Use the name of a header, such as X-Real-IP.');
  return text;
}

/** `HOST:PORT`, of a repeatable flag. */
function parseHostAndPort(text: string, before: readonly string[] = []): string[] {
  if (!/^[^\s/@]+:\d{1,5}$/.test(text)) throw new InvalidArgumentError('Use HOST:PORT, such as intranet.example:8080.');
  return [...before, text];
}

/** A host of a repeatable flag. */
function parseAllowHost(text: string, before: readonly string[] = []): string[] {
  const host = hostNamed(text);
  if (host === null)
    throw new InvalidArgumentError('Use a host name, such as api.example.com or api.example.com:8080.');
  return [...before, host];
}

function parseEmail(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text))
    throw new InvalidArgumentError('Use an e-mail address, such as ada@example.com.');
  return text;
}
