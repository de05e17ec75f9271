// packages/cli/server.json: the entry of `mkt mcp` in the registry of the Model Context Protocol.
import { readFileSync } from 'node:fs';

export const output = 'packages/cli/server.json';

export function generate() {
  const { name, version, mcpName, repository } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8'));
  const server = {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: mcpName,
    title: 'mkt: Brand and Creator Marketplace',
    description: 'Find and compare campaigns and collabs of brands; changes only as a person approved them.',
    version,
    repository: { url: repository.url.replace(/^git\+|\.git$/g, ''), source: 'git', subfolder: repository.directory },
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        transport: { type: 'stdio' },
        packageArguments: [{ type: 'positional', value: 'mcp' }],
        environmentVariables: [
          {
            name: 'MKT_BASE_URL',
            description: 'URL of the service; by default that of the sign-in',
            isRequired: false,
          },
          {
            name: 'MKT_TOKEN',
            description: 'Access token; by default that of the sign-in',
            isRequired: false,
            isSecret: true,
          },
          { name: 'MKT_ORG', description: 'Id or name of the organization', isRequired: false },
        ],
      },
    ],
  };
  return [...JSON.stringify(server, null, 2).split('\n'), ''];
}
