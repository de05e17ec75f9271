import type { Exchange } from '../http/exchange.js';

/** Items of a long page that are made in one turn: a visitor waits the longer, the longer it kept others waiting. */
export const itemsPerTurn = 100;

/** Waits for the visitor's turn between parts of a long page. */
export const turnOf = (exchange: Exchange) => (): Promise<unknown> =>
  exchange.turn() ?? new Promise((resolve) => setTimeout(resolve));
