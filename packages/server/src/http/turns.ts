/** Who sends a request: a user, or a connection of a client that is not known yet. */
export interface Caller {
  /** The id of the user, or the address and port of the connection. */
  readonly id: string;
  /** Of a client that is not known yet. */
  readonly address?: string;
}

export interface Connection {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

export const unknownCaller = ({ remoteAddress, remotePort }: Connection = {}): Caller => {
  const address = String(remoteAddress).replace(/^::ffff:/, '');
  return { id: `${address} ${remotePort}`, address };
};

/** How the requests of different callers take turns. */
export interface CallerTurns {
  /** Waits until a request may start, which calls `end` later; undefined if there are no others. */
  start(caller: Caller): Promise<void> | undefined;
  /** Waits until a request may go on; undefined if there are no others. It never waits for others to end. */
  resume(caller: Caller): Promise<void> | undefined;
  end(caller: Caller): void;
}
