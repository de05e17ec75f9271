/** How the requests of different callers take turns: users, or addresses of clients that are not known yet. */
export interface CallerTurns {
  /** Waits until a request may start, which calls `end` later; undefined if there are no others. */
  start(caller: string): Promise<void> | undefined;
  /** Waits until a request may go on; undefined if there are no others. It never waits for others to end. */
  resume(caller: string): Promise<void> | undefined;
  end(caller: string): void;
}
