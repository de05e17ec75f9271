// The server's own README example, with types: it is only for modules and only for Node.
import { demoSeed, demoTokens, memoryStore } from '@mkt/server';
import { type Server, serve } from '@mkt/server/node';

const server: Server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
const response = await fetch(`${server.url}/organizations/5/campaigns.json`, {
  headers: { Accept: 'application/json', Authorization: `Bearer ${demoTokens.ada_write}` },
});
console.log(response.headers.get('Total-Count'));
await server.close();
