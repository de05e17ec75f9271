// What the options for TanStack Query need to know of each operation. The contract itself would bring its schemas along, and zod.
import { fromSource } from '../lib/from-source.mjs';

export const output = 'packages/sdk/src/contract/operations.generated.ts';

const kindOf = ({ method, paginated }) => (method !== 'GET' ? 'write' : paginated ? 'list' : 'read');

export async function generate() {
  const { contract } = await fromSource('packages/sdk/src/contract/table.ts');
  const resources = Object.entries(contract).map(([name, endpoints]) => {
    const operations = Object.entries(endpoints).map(([operation, endpoint]) => `${operation}: '${kindOf(endpoint)}'`);
    const isScoped = Object.values(endpoints).some(({ path }) => path.includes('/:organization_id/'));
    return `${name}: { isScoped: ${isScoped}, operations: { ${operations.join(', ')} } },`;
  });
  return [
    '// Generated from the endpoints of this folder by `npm run generate`. Do not edit.',
    '',
    '/** Each resource: whether it belongs to an organization, and what its operations do. */',
    'export const operations = {',
    ...resources,
    '} as const;',
    '',
  ];
}
