// The bundle for desktop assistants (.mcpb): `mkt mcp` with a manifest, for the Node that such programs bring along.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const server = 'packages/cli/dist';
const { engines } = JSON.parse(readFileSync('packages/cli/package.json', 'utf8'));

/** What the program that installs the bundle fills in. @param {string} name */
const placeholder = (name) => `\${${name}}`;

/** What the person is asked for when the bundle is installed. */
const userConfig = {
  base_url: {
    type: 'string',
    title: 'URL of the service',
    description: 'Such as https://api.example.com',
    required: true,
  },
  token: {
    type: 'string',
    title: 'Access token',
    description:
      'From the page "Access tokens"; one with the permission "read" is enough unless plans are applied here',
    sensitive: true,
    required: true,
  },
  organization: {
    type: 'string',
    title: 'Organization',
    description: 'Id or name; empty if you have only one',
    default: '',
  },
  allow_write: {
    type: 'boolean',
    title: 'Apply plans',
    description: 'Apply the plans that you approve. Without it, mkt only reads',
    default: false,
  },
};

/** @param {{ version: string, description: string, homepage: string, license: string, author: string }} about */
export const mcpbManifest = ({ version, description, homepage, license, author }) => ({
  manifest_version: '0.3',
  name: 'mkt',
  display_name: 'mkt: Brand and Creator Marketplace',
  version,
  description: description.replace(/^mkt: /, ''),
  author: { name: author },
  homepage,
  license,
  server: {
    type: 'node',
    entry_point: 'server/bin.cjs',
    mcp_config: {
      command: 'node',
      args: [`${placeholder('__dirname')}/server/bin.cjs`, 'mcp'],
      env: {
        MKT_BASE_URL: placeholder('user_config.base_url'),
        MKT_TOKEN: placeholder('user_config.token'),
        MKT_ORG: placeholder('user_config.organization'),
        MKT_MCP_ALLOW_WRITE: placeholder('user_config.allow_write'),
        MKT_NO_KEYRING: '1',
      },
    },
  },
  tools_generated: true,
  compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: engines },
  user_config: userConfig,
});

/**
 * The files of the bundle, for `zip` of archive.mjs. The command line has to be built.
 * @param {Parameters<typeof mcpbManifest>[0]} about
 */
export function mcpbEntries(about) {
  const files = readdirSync(server, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  return [
    { path: 'manifest.json', content: `${JSON.stringify(mcpbManifest(about), null, 2)}\n` },
    { path: 'LICENSE', content: readFileSync('LICENSE') },
    ...files.map((file) => ({
      path: `server/${file.slice(server.length + 1).replaceAll('\\', '/')}`,
      content: readFileSync(file),
    })),
  ];
}
