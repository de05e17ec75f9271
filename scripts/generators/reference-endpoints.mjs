// docs/reference/endpoints.md: the endpoint reference that the server shows at /docs, as Markdown and with a command for each
// endpoint.
import { fromSource } from '../lib/from-source.mjs';
import { cell, fence, table } from '../lib/markdown.mjs';

export const output = 'docs/reference/endpoints.md';

const sources = ['server/src/openapi/document.ts', 'server/src/openapi/reference.ts', 'cli/src/root/commands.ts'];

/** Names of the command line that differ from the API's. */
const groups = { accessTokens: 'tokens', socialAccounts: 'social-accounts' };
const verbs = {
  get: 'show',
  'accessTokens.delete': 'revoke',
  'socialAccounts.create': 'connect',
  'socialAccounts.delete': 'remove',
  'address.update': 'set',
};

/** The first example of the command, or a call of `mkt api` for an endpoint without one. */
export function commandIn(commands, { operation, method }, path) {
  const [resource, verb] = operation.split('.');
  const group = commands.find(({ name }) => name === (groups[resource] ?? resource));
  const leaf = group?.commands().find(({ name }) => name === (verbs[operation] ?? verbs[verb] ?? verb));
  return leaf?.examples[0].line ?? `mkt api ${path}${method === 'GET' ? '' : ` -X ${method}`}`;
}

function linesOf(block) {
  switch (block.kind) {
    case 'heading':
      return [`${'#'.repeat(block.level)} ${block.text}`, ''];
    case 'paragraph':
      return [block.text, ''];
    case 'list':
      return [...block.items.map((item) => `- ${item}`), ''];
    case 'table':
      return table(
        block.head,
        block.rows.map((row) => row.map(cell)),
      );
    case 'code':
      return fence(block.language, block.text.split('\n'));
  }
}

export async function generate() {
  const { openApiDocument, reference, commands } = await fromSource(...sources.map((path) => `packages/${path}`));
  const blocks = reference({
    document: await openApiDocument({ server: 'http://127.0.0.1:4010' }),
    baseUrl: '$MKT_BASE_URL',
    commandOf: (endpoint, path) => commandIn(commands, endpoint, path),
  });
  return [
    '<!-- Generated from the contract by `npm run generate`. Do not edit. -->',
    '',
    '# Endpoints',
    '',
    'Every endpoint of the API. A running server shows this page at `/docs`. As data: [openapi.json](../openapi.json), or `/openapi.json`',
    'of the server. [Errors](errors.md) lists the messages of each status, [Decisions](../decisions.md) separates the contract from our choices.',
    '',
    'The requests below work on the demo data. Run `mkt serve` in one terminal, and in another:',
    '',
    ...fence('sh', ['export MKT_BASE_URL=http://127.0.0.1:4010 MKT_TOKEN=mkt_demo_ada_write']),
    'The TypeScript lines need `const mkt = new Marketplace({ token, baseUrl })`, as in [the SDK guide](../guides/sdk.md).',
    '',
    ...blocks.flatMap(linesOf),
  ];
}
