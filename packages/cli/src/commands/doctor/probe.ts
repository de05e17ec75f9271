import { ConnectionError } from '@mkt/sdk';
import { version } from '../../../package.json';
import { connectionProblem } from '../../api/errors/network.js';
import { chooseFetch, type Fetch } from '../../api/http/choose-fetch.js';
import type { Context } from '../../context/context.js';
import { CliError, interrupted } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { isOn } from '../../io/environment.js';

/** What an examination asks with: methods that change nothing (api.md, Authentication rule 3). */
export type ReadingMethod = 'GET' | 'HEAD';

export interface Answer {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  readonly text: string;
  /** Milliseconds from the request to the end of the body. */
  readonly took: number;
  /** This machine's time at half of that. */
  readonly at: Date;
}

export interface Asking {
  /** Sent beside, or instead of, the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Leaves the token out. */
  readonly anonymous?: boolean;
}

/** Milliseconds for one answer where --timeout says nothing. */
const PATIENCE = 10_000;

/**
 * Asks the service and gives what it answers, whatever that is: nothing is followed, repeated or thrown away. It cannot
 * change anything.
 */
export class Probe {
  readonly #context: Context;
  readonly #fetch: Fetch;
  readonly #baseUrl: string;
  readonly #token: string | undefined;
  #asked = 0;

  private constructor(context: Context, fetch: Fetch, baseUrl: string, token: string | undefined) {
    this.#context = context;
    this.#fetch = fetch;
    this.#baseUrl = baseUrl;
    this.#token = token;
  }

  static async open(context: Context, baseUrl: string, token: string | undefined): Promise<Probe> {
    return new Probe(context, await chooseFetch(context.io.env, baseUrl), baseUrl, token);
  }

  /** Requests so far. */
  get asked(): number {
    return this.#asked;
  }

  /** @throws CliError where no answer comes (network), and at Ctrl-C */
  async ask(method: ReadingMethod, path: string, { headers, anonymous = false }: Asking = {}): Promise<Answer> {
    const { io, options } = this.#context;
    const patience = options.timeout ?? PATIENCE;
    const late = AbortSignal.timeout(patience);
    const url = `${this.#baseUrl}${path}`;
    this.#asked += 1;
    const began = io.now().getTime();
    try {
      const response = await this.#fetch(url, {
        method,
        headers: {
          accept: 'application/json',
          'user-agent': `mkt/${version}`,
          ...(this.#token !== undefined && !anonymous && { authorization: `Bearer ${this.#token}` }),
          ...headers,
        },
        redirect: 'manual',
        signal: AbortSignal.any([late, io.interrupted]),
      });
      const text = await response.text();
      const took = io.now().getTime() - began;
      if (options.verbose || options.debug || isOn(io.env.MKT_DEBUG))
        io.stderr.stream.write(`${this.#context.style('dim', `< ${response.status} ${method} ${url} ${took} ms`)}\n`);
      return { status: response.status, headers: response.headers, text, took, at: new Date(began + took / 2) };
    } catch (cause) {
      if (io.interrupted.aborted) throw interrupted();
      if (late.aborted) {
        throw new CliError({
          code: 'timeout',
          exitCode: exitCodes.network,
          message: `No answer from ${this.#baseUrl} within ${patience / 1000} seconds.`,
          hints: ['Wait longer: --timeout 120'],
          cause,
        });
      }
      if (cause instanceof CliError) throw cause;
      const { message, hints } = connectionProblem(cause as Error, this.#baseUrl, io.env);
      const failure = new ConnectionError(message, { cause });
      throw new CliError({ code: 'network', exitCode: exitCodes.network, message, hints, cause: failure });
    }
  }
}

/** The value in a body of JSON; undefined where it is none. */
export function jsonIn({ text }: Answer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** What a body is, in a word or two. */
export function formOf(answer: Answer): string {
  const { text } = answer;
  if (text.trim() === '') return 'nothing';
  if (jsonIn(answer) !== undefined) return 'JSON';
  return /^\s*<(!doctype|html|\w+[\s>])/i.test(text) ? 'an HTML page' : 'plain text';
}
