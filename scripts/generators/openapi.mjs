// The API as an OpenAPI document, from the contract: the same one that the server answers at /openapi.json.
import { fromSource } from '../lib/from-source.mjs';

export const output = 'docs/openapi.json';

const otherServers = [
  {
    url: '{base_url}',
    description: 'Another server, or the mock.',
    variables: { base_url: { default: 'https://api.example.com', description: 'By default that of the mock.' } },
  },
];

export async function generate() {
  const { openApiDocument } = await fromSource('packages/server/src/openapi/document.ts');
  return JSON.stringify(await openApiDocument({ server: 'http://127.0.0.1:4010', otherServers }), null, 2);
}
