// What only tests and developers use, and few of them all of it: in a browser it stays out of what is loaded at once, and
// comes as one chunk.
export { createActs } from './acts.js';
export { applyEffect } from './effects.js';
export { checkedSnapshot } from './snapshot-check.js';
export { tokenMaker } from './tokens.js';
