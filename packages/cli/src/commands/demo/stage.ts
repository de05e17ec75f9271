import { PassThrough } from 'node:stream';
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';
import { NOWHERE } from '../../config/folders.js';
import type { Context } from '../../context/context.js';
import type { ExitCode } from '../../errors/exit-codes.js';
import type { Io } from '../../io/io.js';
import { argvOf } from './words.js';

/** How the terminal looks, and how this process makes connections; everything else of the environment stays outside. */
const KEPT = ['NO_COLOR', 'FORCE_COLOR', 'TERM', 'LANG', 'LC_ALL', 'NODE_USE_ENV_PROXY'] as const;

export interface Played {
  readonly code: ExitCode;
  /** stdout and stderr as a terminal would show them, one after the other. */
  readonly text: string;
}

const CLEAR_LINE = '\r\u001b[2K';

/** A counter that was drawn over and over again leaves on a terminal what came after the last clearing of its line. */
const settled = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.split(CLEAR_LINE).at(-1))
    .join('\n');

/** A service with the demo data on a free port of this machine, and command lines that know of nothing else. */
export class Stage {
  readonly #server: Server;
  readonly #context: Context;
  readonly #interrupted: AbortSignal;

  private constructor(server: Server, context: Context, interrupted: AbortSignal) {
    this.#server = server;
    this.#context = context;
    this.#interrupted = interrupted;
  }

  static async open(context: Context, interrupted: AbortSignal): Promise<Stage> {
    const clock = () => context.io.now().getTime();
    const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0, clock });
    return new Stage(server, context, interrupted);
  }

  get url(): string {
    return this.#server.url;
  }

  /** Runs a command line against the service, over TCP, and keeps what it prints. */
  async play(line: string): Promise<Played> {
    const { io, options } = this.#context;
    const stream = new PassThrough();
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    const { isTTY, columns, rows } = io.stdout;
    const output = { stream, isTTY, columns, rows };
    const kept = Object.fromEntries(KEPT.map((name) => [name, io.env[name]]));
    const on: Io = {
      ...io,
      env: {
        ...kept,
        ...(!options.color && { NO_COLOR: '1' }),
        MKT_BASE_URL: this.url,
        MKT_TOKEN: demoTokens.ada_write,
        MKT_CONFIG_DIR: NOWHERE,
        MKT_NO_KEYRING: '1',
        MKT_NO_INPUT: '1',
      },
      cwd: undefined,
      home: NOWHERE,
      stdout: output,
      stderr: output,
      interrupted: this.#interrupted,
    };
    const code = await this.#context.run(argvOf(line), on);
    return { code, text: settled(Buffer.concat(parts).toString('utf8')) };
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
