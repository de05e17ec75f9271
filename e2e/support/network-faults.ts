import type { Socket } from 'node:net';

/**
 * What becomes of one connection.
 * @param client the caller's end
 * @param server opens the other end; a fault that never calls it keeps the request from the server
 */
export type NetworkFault = (client: Socket, server: () => Socket) => void;

/** How a connection ends: by a reset, by an orderly end in the wrong place, or not at all: nothing more comes. */
export type Ending = 'reset' | 'end' | 'stall';

const finish = (socket: Socket, ending: Ending): void => {
  if (ending === 'reset') socket.resetAndDestroy();
  if (ending === 'end') socket.end();
};

/** Everything goes through. */
export const passThrough: NetworkFault = (client, connect) => {
  const server = connect();
  client.pipe(server);
  server.pipe(client);
};

/** Lets the request through; calls `tell` with the bytes that the answers have had so far. */
export const countBytes =
  (tell: (bytes: number) => void): NetworkFault =>
  (client, connect) => {
    const server = connect();
    let bytes = 0;
    client.pipe(server);
    server.on('data', (part) => {
      bytes += part.length;
      tell(bytes);
      client.write(part);
    });
    server.on('end', () => client.end());
  };

/** The request reaches the server; of the answer only the first bytes come back. */
export const cutResponse =
  (bytes: number, ending: Ending): NetworkFault =>
  (client, connect) => {
    const server = connect();
    let left = bytes;
    client.pipe(server);
    if (left === 0) {
      server.once('data', () => finish(client, ending));
      return;
    }
    server.on('data', (part) => {
      if (left === 0) return;
      const through = part.subarray(0, left);
      left -= through.length;
      client.write(through, () => {
        if (left === 0) finish(client, ending);
      });
    });
  };

/** Only the first bytes of the request reach the server; the caller's connection is reset. */
export const cutRequest =
  (bytes: number): NetworkFault =>
  (client, connect) => {
    const server = connect();
    let left = bytes;
    const finishBoth = () => {
      server.destroy();
      client.resetAndDestroy();
    };
    if (left === 0) client.once('data', finishBoth);
    client.on('data', (part) => {
      if (left === 0) return;
      const through = part.subarray(0, left);
      left -= through.length;
      server.write(through, () => {
        if (left === 0) finishBoth();
      });
    });
  };

/** The answer waits. */
export const delayResponse =
  (ms: number): NetworkFault =>
  (client, connect) => {
    const server = connect();
    client.pipe(server);
    server.on('data', (part) => {
      setTimeout(() => client.write(part), ms);
    });
  };

/** The answer comes byte by byte. */
export const dripResponse =
  (msPerByte: number): NetworkFault =>
  (client, connect) => {
    const server = connect();
    client.pipe(server);
    const waiting: number[] = [];
    server.on('data', (part) => waiting.push(...part));
    const timer = setInterval(() => {
      const next = waiting.shift();
      if (next !== undefined) client.write(Uint8Array.of(next));
    }, msPerByte);
    client.on('close', () => clearInterval(timer));
  };

/** The request reaches the server and is carried out; nothing of the answer comes back, and nothing ends. */
export const dropResponse: NetworkFault = (client, connect) => {
  const server = connect();
  client.pipe(server);
  server.resume();
};

/** Accepts the connection and takes what comes, as a host that has crashed behind its load balancer. */
export const neverRespond: NetworkFault = (client) => {
  client.resume();
};

/** Accepts the connection and resets it at the first byte. */
export const resetOnConnect: NetworkFault = (client) => {
  client.once('data', () => client.resetAndDestroy());
};

/** Answers these bytes in the server's place, which never sees the request. */
export const respondWith =
  (text: string): NetworkFault =>
  (client) => {
    let request = '';
    client.on('data', (part) => {
      const before = request.includes('\r\n\r\n');
      request += part.toString('latin1');
      if (!before && request.includes('\r\n\r\n')) client.end(text);
    });
  };

/** Answers a status in the server's place, as a gateway does. */
export const gatewayError = (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): NetworkFault =>
  respondWith(
    [
      `HTTP/1.1 ${status} Gateway`,
      ...Object.entries({ 'Content-Type': 'text/html', ...headers }).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
