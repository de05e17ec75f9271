import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** How long a step may take, and what ends it before. */
export interface Limits {
  /** Milliseconds for one step. */
  readonly timeout: number;
  readonly interrupted: AbortSignal;
}

export interface Host {
  readonly name: string;
  readonly port: number;
  readonly secure: boolean;
}

/** Where an http or https address leads. */
export function hostIn(address: string): Host {
  const { hostname, port, protocol } = new URL(address);
  const secure = protocol === 'https:';
  return { name: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 443 : 80), secure };
}

/** `ECONNREFUSED`, or the message where there is no code; of several attempts the first. */
export function reasonOf(error: unknown): string {
  const { code, message, errors } = error as NodeJS.ErrnoException & { errors?: readonly unknown[] };
  const [first] = errors ?? [];
  return code ?? (first === undefined ? message : reasonOf(first));
}

export const took = (began: number): string => `${Math.max(1, Math.round(performance.now() - began))} ms`;

/** The result of `work`, if it comes in time. */
export async function within<Result>(work: Promise<Result>, { timeout, interrupted }: Limits): Promise<Result> {
  const done = new AbortController();
  const late = async (): Promise<never> => {
    await delay(timeout, undefined, { signal: AbortSignal.any([done.signal, interrupted]) });
    throw new Error(`no answer within ${timeout / 1000} s`);
  };
  try {
    return await Promise.race([work, late()]);
  } finally {
    done.abort();
  }
}

/** The socket once `event` has come; where it does not come, the socket is closed. */
export async function opened<Opening extends Socket>(socket: Opening, event: string, limits: Limits): Promise<Opening> {
  // A socket that breaks later has nobody waiting for it, and must not end the program.
  socket.on('error', () => undefined);
  try {
    await within(once(socket, event), limits);
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** A connection to a host. */
export const reach = ({ name, port }: Host, limits: Limits): Promise<Socket> =>
  opened(connect({ host: name, port }), 'connect', limits);
