import { nextTurn } from '../pieces.js';
import type { Exchange } from './exchange.js';

/** Fewer bytes are parsed, copied and stored in a few milliseconds. */
const manyBytes = 256 * 1024;

/** Lets others go on between two steps of long work, and then waits for a turn: each step counts for its caller. */
export const pauseOf = (exchange: Exchange) => (): Promise<void> => exchange.turn() ?? nextTurn();

/** The same, if work on these bytes is long. */
export async function pauseFor(exchange: Exchange, { length }: Uint8Array): Promise<void> {
  if (length > manyBytes) await pauseOf(exchange)();
}
