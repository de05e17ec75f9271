import { connect, type Socket } from 'node:net';

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

/** The socket once `event` has come; whatever else happens, it is closed. */
export function opened<Opening extends Socket>(
  socket: Opening,
  event: string,
  { timeout, interrupted }: Limits,
): Promise<Opening> {
  return new Promise((resolve, reject) => {
    const end = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const onAbort = () => end(new Error('interrupted'));
    const timer = setTimeout(() => end(new Error(`no answer within ${timeout / 1000} s`)), timeout);
    const done = () => {
      clearTimeout(timer);
      interrupted.removeEventListener('abort', onAbort);
    };
    interrupted.addEventListener('abort', onAbort);
    socket.once(event, () => {
      done();
      resolve(socket);
    });
    socket.once('error', (error) => {
      done();
      end(error);
    });
  });
}

/** A connection to a host. */
export const reach = ({ name, port }: Host, limits: Limits): Promise<Socket> =>
  opened(connect({ host: name, port }), 'connect', limits);
