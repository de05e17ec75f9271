import { Transform, Writable } from 'node:stream';
import type { Context } from '../../context/context.js';
import { escapeUnsafe } from '../../text/json.js';
import type { ServerOptions } from './clients.js';
import { StdioServerTransport, serveStdio } from './protocol.js';
import { makeServer } from './server.js';
import { Session } from './session.js';

/** Removes a byte order mark: the library would ignore the first message. */
function withoutByteOrderMark(): Transform {
  const decoder = new TextDecoder();
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, decoder.decode(chunk, { stream: true })),
  });
}

/** Escapes what some readers of lines take for the end of one: the library writes it as it is. */
const escaping = (stream: Writable): Writable =>
  new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => void stream.write(escapeUnsafe(text), done),
  });

/** Serves the protocol until stdin ends or the process is interrupted. */
export async function serveMcp(context: Context, options: ServerOptions): Promise<void> {
  const { stdin, stdout, interrupted } = context.io;
  const input = stdin.stream.pipe(withoutByteOrderMark());
  stdin.stream.once('close', () => input.end());
  const transport = new StdioServerTransport(input, escaping(stdout.stream));
  const session = new Session(context);
  // Bound from now on. Without a sign-in, each tool says so, until there is one.
  session.open().catch(() => undefined);
  const handle = serveStdio(() => makeServer(session, options), { transport });
  await new Promise<void>((resolve) => {
    input.once('end', resolve).once('close', resolve);
    if (interrupted.aborted) resolve();
    interrupted.addEventListener('abort', () => resolve(), { once: true });
  });
  await handle.close();
}
