// The command line of each operation, for the endpoint reference of the server, which does not have the command line.
import { fromSource } from '../lib/from-source.mjs';
import { commandIn } from './reference-endpoints.mjs';

export const output = 'packages/server/src/openapi/commands.generated.ts';

const sources = ['server/src/openapi/operations.ts', 'cli/src/root/commands.ts', 'sdk/src/contract/index.ts'];

export async function generate() {
  const { exampleOf, commands, endpoints } = await fromSource(...sources.map((path) => `packages/${path}`));
  const lines = endpoints.map((endpoint) => {
    const { ids } = exampleOf(endpoint);
    const path = endpoint.path.replace(/:([a-z_]+)/g, (_, name) => String(ids[name]));
    return [endpoint.operation, commandIn(commands, endpoint, path)];
  });
  return [
    '// Generated from the command line by `npm run generate`. Do not edit.',
    '',
    `export const commands: Readonly<Record<string, string>> = ${JSON.stringify(Object.fromEntries(lines))};`,
  ];
}
