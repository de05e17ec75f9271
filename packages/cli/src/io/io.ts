import type { Readable, Writable } from 'node:stream';

/** One of the three streams of a process, with what a terminal would say about it. */
export interface Output {
  readonly stream: Writable;
  readonly isTTY: boolean;
  /** Columns of the terminal; ignored where `isTTY` is false. */
  readonly columns: number;
  readonly rows: number;
}

/**
 * Everything that a run touches outside itself. Only `processIo` reads `process`, so a test runs a command line in
 * process, on streams, a clock and an environment of its own.
 */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where `.mkt.json` is looked for, from there upwards; undefined where no such file may take part. */
  readonly cwd: string | undefined;
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly stdin: { readonly stream: Readable; readonly isTTY: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Writes a short text to stdout at once, without the cost of a stream. */
  readonly print: (text: string) => void;
  readonly now: () => Date;
  /** Aborts at the first Ctrl-C, and at SIGTERM. */
  readonly interrupted: AbortSignal;
  /** Answers questions instead of the person at the terminal, in tests. */
  readonly prompter?: Prompter;
}

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Asks the person at the terminal. Every question has a flag that answers it; only `Context.ask` hands one out. */
export interface Prompter {
  text(
    question: string,
    options?: { readonly hint?: string; readonly check?: (answer: string) => string | undefined },
  ): Promise<string>;
  secret(question: string): Promise<string>;
  /** The default answer is no. */
  confirm(question: string): Promise<boolean>;
  select(question: string, choices: readonly Choice[]): Promise<string>;
}

/** Whether a variable of the environment switches something on: `0`, `false` and an empty one do not. */
export const isOn = (value: string | undefined): boolean => value !== undefined && !/^(?:0|false)?$/i.test(value);
