import type { Readable, Writable } from 'node:stream';

/** One of the three streams of a process, with what a terminal would say about it. */
export interface Output {
  readonly stream: Writable;
  readonly isTTY: boolean;
  /** Columns of the terminal; ignored if `isTTY` is false. */
  readonly columns: number;
  readonly rows: number;
}

/**
 * All inputs and outputs of a run. Only `processIo` reads `process`, so tests can run a command line in the same process
 * with other streams, another clock and another environment.
 */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder where the search for `.mkt.json` starts; undefined to ignore such files. */
  readonly cwd: string | undefined;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly stdin: { readonly stream: Readable; readonly isTTY: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Writes a short text to stdout at once, without the cost of a stream. */
  readonly print: (text: string) => void;
  readonly now: () => Date;
  /** Aborts at the first Ctrl-C, at SIGTERM, and at SIGHUP. */
  readonly interrupted: AbortSignal;
  /** Runs `work` while another program uses the terminal: Ctrl-C is for that program. */
  readonly lendTerminal: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Called after a list was read: how many rows it has, if that is known, and whether some were left unread. */
  readonly listed?: (list: { readonly total: number | undefined; readonly more: boolean }) => void;
  /** Receives the error of the command line, which is then not written. */
  readonly failed?: (error: Error) => void;
  /** Whether another program waits for the result, without seeing what is written to stderr meanwhile. */
  readonly isBrief?: boolean;
  /** Replaces the prompts, in tests. */
  readonly prompter?: Prompter;
}

/** Rejects a value with a message, and the prompt asks again. */
export type PromptCheck = (value: string) => string | undefined;

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Prompts on the terminal. Every prompt has a flag that replaces it. */
export interface Prompter {
  text(message: string, options?: { readonly hint?: string; readonly check?: PromptCheck }): Promise<string>;
  secret(message: string, check: PromptCheck): Promise<string>;
  /** No is the default. */
  confirm(message: string): Promise<boolean>;
  select(message: string, choices: readonly Choice[]): Promise<string>;
}

/** Whether a variable of the environment switches something on: `0`, `false` and an empty one do not. */
export const isOn = (value: string | undefined): boolean => value !== undefined && !/^(?:0|false)?$/i.test(value);

/** Whether a process of this computer runs. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
