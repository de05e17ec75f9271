// Code that few tests use. Browsers load it on demand, as one chunk: the bundler gives each set of modules that two chunks
// share a chunk of its own, so a second one would make the first load larger.
export { exportSeed } from '@mkt/server/seeds';
export { createToken, performAct } from './acts.js';
export { createFactories } from './create.js';
export { mistakesIn } from './mistakes.js';
export { openOtherSeed } from './other-seeds.js';
export { traceInPage } from './page-calls.js';
export { checkSimulation, Simulation } from './simulation.js';
export { dumpOf } from './snapshot.js';
export { checkedSnapshot } from './snapshot-check.js';
export { waitForRequest } from './wait-for-request.js';
