import { connect } from 'node:net';

/** Sends bytes as they are and returns everything that came back until the server closed, or fell silent. */
export function rawExchange(url: string, sent: string | readonly string[], silence = 1500): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const parts = typeof sent === 'string' ? [sent] : sent;
    let received = '';
    socket.setTimeout(silence, () => socket.destroy());
    socket.on('connect', () => {
      for (const part of parts) socket.write(part);
    });
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? undefined : reject(error)));
    socket.on('close', () => resolve(received));
  });
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function parsed(text: string): RawAnswer {
  const [head = '', ...body] = text.split('\r\n\r\n');
  const [line = '', ...lines] = head.split('\r\n');
  const headers = Object.fromEntries(
    lines.map((header) => {
      const at = header.indexOf(':');
      return [header.slice(0, at).toLowerCase(), header.slice(at + 1).trim()];
    }),
  );
  return { status: Number(line.split(' ')[1]), headers, body: body.join('\r\n\r\n') };
}
