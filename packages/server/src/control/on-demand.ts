// Code that few tests use. Browsers load it on demand, as one chunk.
export { createActs } from './acts.js';
export { checkedSnapshot } from './snapshot-check.js';
export { createToken } from './tokens.js';
