// The reference server as it is built, with every rule on.
import { demoSeed } from '../../packages/server/dist/index.js';
import { openStore, serve } from '../../packages/server/dist/node.js';
import { report } from './child.mjs';

const [db, port = '0'] = process.argv.slice(2);
const server = await serve({ store: await openStore(db), seed: demoSeed(), port: Number(port) });
report(server.url, () => server.close());
