// docs/reference/endpoints.md: every endpoint with its fields, limits and responses, from the contract; its SDK call and command;
// one request that works on the demo data.
import { demoAnswers } from '../lib/demo-answers.mjs';
import { fromSources } from '../lib/from-source.mjs';
import { cell, fence, slugger, table } from '../lib/markdown.mjs';
import { isOptional, limitsOf, typeOf } from '../lib/schemas.mjs';

export const output = 'docs/reference/endpoints.md';

const sources = `
export * as contract from '@mkt/sdk/contract';
export { openApiDocument } from '../../server/src/openapi/document.ts';
export { commands } from './root/commands.ts';
`;

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
function commandOf({ operation, method, path }, commands, { ids }) {
  const [resource, verb] = operation.split('.');
  const group = commands.find(({ name }) => name === (groups[resource] ?? resource));
  const leaf = group?.commands.find(({ name }) => name === (verbs[operation] ?? verbs[verb] ?? verb));
  if (leaf) return leaf.examples[0].line;
  return `mkt api ${filled(path, ids)}${method === 'GET' ? '' : ` -X ${method}`}`;
}

/** An example request for the demo data. */
function exampleOf({ ids: own, requests }, name) {
  const { ids, fields } = requests[name] ?? {};
  return { ids: { ...own, ...ids }, fields };
}

const filled = (path, ids) => path.replace(/:([a-z_]+)/g, (_, name) => ids[name]);

const literal = (value) =>
  Array.isArray(value)
    ? `[${value.map(literal).join(', ')}]`
    : typeof value === 'object'
      ? `{ ${Object.entries(value)
          .map(([name, of]) => `${name}: ${literal(of)}`)
          .join(', ')} }`
      : typeof value === 'string'
        ? `'${value}'`
        : String(value);

function sdkCall({ operation, path }, { ids, fields }) {
  const given = [...path.matchAll(/:([a-z_]+)/g)].map(([, name]) => ids[name]);
  return `await mkt.${operation}(${[...given, ...(fields ? [fields] : [])].map(literal).join(', ')});`;
}

function curl(endpoint, { ids, fields }) {
  const address = filled(endpoint.path, ids);
  const method = endpoint.method === 'GET' ? '' : `-X ${endpoint.method} `;
  const body =
    fields && JSON.stringify({ [endpoint.request.wrapper]: fields }).replaceAll(/([:,])(?=["[{\dtf])/g, '$1 ');
  return [
    `curl ${method}"$MKT_BASE_URL${address}" \\`,
    `  -H "Authorization: Bearer $MKT_TOKEN" -H 'Accept: application/json'${body ? ' \\' : ''}`,
    ...(body ? [`  -H 'Content-Type: application/json' -d '${body}'`] : []),
  ];
}

function fieldRows({ fields, file }, schema) {
  const { shape } = fields._zod.def;
  const rows = Object.entries(shape).map(([name, type]) => {
    const property = schema.properties[name] ?? {};
    const kind = name.startsWith('purge_') ? '`"1"`' : cell(typeOf(property));
    return [
      `\`${name}\``,
      isOptional(type) ? kind : `${kind}, required`,
      cell(property.description ?? ''),
      cell(limitsOf(type)),
    ];
  });
  const logo = [
    '`logo`',
    'file',
    'The logo. Only in a multipart request, whose fields are named `organization[name]`, `organization[logo]`.',
    'PNG, JPEG, WebP or GIF; at most 5 MiB',
  ];
  return file ? [...rows, logo] : rows;
}

/** Updates with the same fields as the creation refer to it. */
function fieldsOf({ operation, request }, create, anchorOf, rows) {
  if (!request) return [];
  const names = (body) => Object.keys(body.fields._zod.def.shape).join();
  if (create?.request && create.operation !== operation && names(create.request) === names(request)) {
    return [
      `Fields: the same as for [the creation](#${anchorOf(create)}), all optional. Omitted fields stay unchanged.`,
      '',
    ];
  }
  return table(['Field', 'Type', '', 'Limits'], rows(request.fields));
}

const answerRows = (schema) =>
  Object.entries(schema.properties).map(([name, property]) => {
    const present = schema.required?.includes(name) ? '' : 'may be absent';
    const inner = property.properties
      ? `object: ${Object.entries(property.properties)
          .map(([field, of]) => `\`${field}\` (${typeOf(of)})`)
          .join(', ')}`
      : typeOf(property);
    return [`\`${name}\``, cell(inner), present, cell(property.description ?? '')];
  });

const schemaIn = (responses, status) => {
  const schema = responses[status]?.content?.['application/json']?.schema;
  const name = (schema?.items ?? schema)?.$ref?.split('/').at(-1);
  return { name, many: schema?.items !== undefined };
};

function answer(endpoint, responses, one) {
  const { status, etag } = endpoint;
  if (status === 204) return '`204`, no body';
  if (status === 303) return `\`303\` to the page of the ${one}. The SDK and the command line then read the ${one}`;
  const { name, many } = schemaIn(responses, status);
  const brief = name.endsWith('ListItem') ? ', without `brief`' : '';
  const what = many
    ? `a page of [${one}s](#the-${one.replaceAll(' ', '-')})${brief}`
    : `the [${one}](#the-${one.replaceAll(' ', '-')})`;
  return `\`${status}\`, ${what}${etag ? '; `304` for a matching `If-None-Match`' : ''}`;
}

/** An example body from the demo data: the single resource, or the first item of its list. */
async function exampleBody(endpoints, examples, ask) {
  const name = endpoints.get ? 'get' : 'list';
  const body = await ask(filled(endpoints[name].path, exampleOf(examples, name).ids));
  return JSON.stringify(Array.isArray(body) ? body[0] : body, null, 2).split('\n');
}

const code = (names) => names.map((name) => `\`${name}\``).join(', ');

/** The states of a resource with their transitions, its money fields and its locked fields. */
function behaviour({ singular, states, money, locked }, endpoints) {
  const lines = [];
  const byClients = Object.entries(endpoints).filter(([, { transition }]) => transition);
  if (states && byClients.length > 0) {
    const row = (who, name, { from, to }) => [`\`${name}\``, who, code(from), `\`${to}\``];
    lines.push(
      `A new ${singular} is \`${states.initial}\`. These actions change its \`${states.field}\`:`,
      '',
      ...table(
        ['Action', 'By', 'From', 'To'],
        [
          ...byClients.map(([name, { role, transition }]) => row(role, name, transition)),
          ...Object.entries(states.marketplace).map(([name, transition]) => row('the marketplace', name, transition)),
        ],
      ),
    );
  }
  if (money) {
    const ranges = money.ranges.map(({ min, max }) => ` \`${min}\` is at most \`${max}\`.`);
    lines.push(`Amounts in \`${money.currency}\`: ${code(money.fields)}.${ranges.join('')}`, '');
  }
  if (locked) lines.push(`Locked once \`${locked.since}\` is set: ${code(locked.fields)}.`, '');
  return lines;
}

const refusals = (responses) =>
  Object.keys(responses)
    .filter((status) => Number(status) >= 400)
    .map((status) => `[${status}](errors.md#${status})`)
    .join(', ');

export async function generate() {
  const { contract, openApiDocument, commands } = await fromSources('packages/cli/src', sources);
  const { paths, components } = openApiDocument({ server: 'http://127.0.0.1:4010' });
  const operations = new Map(
    Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .map((operation) => [operation.operationId, operation]),
  );
  const slug = slugger();
  const titles = new Map();

  const ask = await demoAnswers();
  const bodies = new Map();
  for (const [resource, endpoints] of Object.entries(contract.contract)) {
    bodies.set(resource, await exampleBody(endpoints, contract.examples[resource], ask));
  }

  const parts = Object.entries(contract.contract).flatMap(([resource, endpoints]) => {
    const described = contract.resources[resource];
    const { heading, singular: one, about } = described;
    const representation = Object.values(endpoints)
      .map((endpoint) => schemaIn(operations.get(endpoint.operation).responses, endpoint.status))
      .find(({ name, many }) => name && !many).name;
    const lines = [
      `## ${heading}`,
      '',
      about,
      '',
      `### The ${one}`,
      '',
      ...table(['Field', 'Type', '', ''], answerRows(components.schemas[representation])),
      ...fence('json', bodies.get(resource)),
      ...behaviour(described, endpoints),
    ];
    for (const each of [heading, `The ${one}`]) slug(each);
    for (const [name, endpoint] of Object.entries(endpoints)) {
      const { operation, method, path, request, query, paginated } = endpoint;
      const { summary, description, responses } = operations.get(operation);
      const example = exampleOf(contract.examples[resource], name);
      titles.set(operation, { summary, anchor: slug(summary) });
      lines.push(
        `### ${summary}`,
        '',
        `\`${method} ${path}\``,
        '',
        description,
        '',
        ...table(
          ['', ''],
          [
            ['Response', answer(endpoint, responses, one)],
            ['Errors', refusals(responses)],
            ...(paginated ? [['Query', '`page`: the page number, from 1. Past the last page the list is empty']] : []),
            ...Object.keys(query).map((name) => ['Query', `\`${name}\`: a web page from which the draft is filled`]),
            ...(request
              ? [['Body', `\`{"${request.wrapper}": {...}}\`${request.optional === true ? ', optional' : ''}`]]
              : []),
            ['Command line', `\`${commandOf(endpoint, commands, example).replaceAll('|', '\\|')}\``],
          ],
        ),
        ...fieldsOf(
          endpoint,
          endpoints.create,
          (created) => titles.get(created.operation)?.anchor,
          (fields) => {
            const schema = components.schemas[schemaNameOf(contract, fields)];
            return fieldRows(request, schema);
          },
        ),
        ...fence('sh', curl(endpoint, example)),
        ...fence('ts', [sdkCall(endpoint, example)]),
      );
    }
    return lines;
  });

  const overview = Object.values(contract.contract).flatMap((endpoints) =>
    Object.values(endpoints).map(({ operation, method, path }) => {
      const { summary, anchor } = titles.get(operation);
      return [`\`${method}\``, `\`${path}\``, `[${summary}](#${anchor})`];
    }),
  );

  const lines = [
    '<!-- Generated from the contract by `npm run generate`. Do not edit. -->',
    '',
    '# Endpoints',
    '',
    'Every endpoint of the API. As data: [openapi.json](../openapi.json), or `/openapi.json` and `/docs` of a running server.',
    '',
    'For all endpoints:',
    '',
    '- Send `Authorization: Bearer TOKEN` and `Accept: application/json` with every request. Only the `Accept` header selects JSON; without it',
    '  the response is a web page.',
    '- Bodies are JSON with the fields in a wrapper, `{"campaign": {...}}`. Unknown and read-only fields are ignored.',
    '- Lists have 20 items per page, and the headers `Total-Count`, `Total-Pages`, `Current-Page` and `Page-Items`.',
    '- HEAD works wherever GET does. Timestamps are UTC: `2026-05-01T10:00:00Z`. Amounts are integers without a unit.',
    '- Text must not contain NUL characters or lone surrogates. Lengths count Unicode code points.',
    '- [Decisions](../decisions.md) separates the contract from our choices.',
    '',
    'The requests below work on the demo data. Run `mkt serve` in one terminal, and in another:',
    '',
    ...fence('sh', ['export MKT_BASE_URL=http://127.0.0.1:4010 MKT_TOKEN=mkt_demo_ada_write']),
    'The TypeScript lines need `const mkt = new Marketplace({ token, baseUrl })`, as in [the SDK guide](../guides/sdk.md).',
    '',
    ...table(['Method', 'Path', ''], overview),
    ...parts,
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** The name of a schema in the OpenAPI document, from its name among the exports of the contract. */
function schemaNameOf(contract, schema) {
  const [name] = Object.entries(contract).find(([, value]) => value === schema);
  return name.charAt(0).toUpperCase() + name.slice(1);
}
