import {
  contract,
  type Endpoint,
  fieldsOfKind,
  nestedListOf,
  type RequestBody,
  type ResourceDescription,
  type ResourceName,
  resources,
  type Schema,
  type Transition,
} from '@mkt/sdk/contract';
import { about, type OpenApiDocument } from './document.js';
import { exampleOf, type Operation } from './operations.js';
import { failures, type Reference, type ResponseObject } from './responses.js';
import { type JsonSchema, schemaName } from './schemas.js';

/** A part of the reference. Texts contain `code` and [links](#anchor) as in Markdown, and nothing else of it. */
export type Block =
  | {
      readonly kind: 'heading';
      readonly level: 2 | 3;
      readonly text: string;
      /** The operation that the section is about, such as `campaigns.create`. */
      readonly operation?: string;
    }
  | { readonly kind: 'paragraph'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: 'code'; readonly language: 'json' | 'sh' | 'ts'; readonly text: string };

export interface ReferenceOptions {
  readonly document: OpenApiDocument;
  /** Start of the URLs in the requests: `https://api.example.com`, or `$MKT_BASE_URL`. */
  readonly baseUrl: string;
  /** Example command lines, where the reader has the command line. */
  readonly commandOf?: (endpoint: Endpoint, path: string) => string;
}

type Endpoints = Readonly<Record<string, Endpoint>>;

const heading = (level: 2 | 3, text: string): Block => ({ kind: 'heading', level, text });
const paragraph = (text: string): Block => ({ kind: 'paragraph', text });
const code = (language: 'json' | 'sh' | 'ts', text: string): Block => ({ kind: 'code', language, text });
/** No block for no rows. */
const table = (head: readonly string[], rows: readonly (readonly string[])[]): Block[] =>
  rows.length > 0 ? [{ kind: 'table', head, rows }] : [];

/** The anchor of a heading, as GitHub and documentation sites make it. */
export const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-');
const linkTo = (title: string, text = title): string => `[${text}](#${anchorOf(title)})`;
const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const introduction = [
  'Send `Authorization: Bearer TOKEN` and `Accept: application/json` with every request. Only the `Accept` header selects JSON; without it the response is a web page.',
  'Bodies are JSON with the fields in a wrapper, `{"campaign": {...}}`. Unknown and read-only fields are ignored.',
  'HEAD works wherever GET does. Timestamps are UTC: `2026-05-01T10:00:00Z`. Amounts are integers without a unit.',
  'Text must not contain NUL characters or lone surrogates. Lengths count Unicode code points. Lists contain nothing twice.',
];

/** What readers look for, with the answer, also if it is that the API has none. */
const topics: Readonly<Record<string, string>> = {
  Pagination:
    'Lists have 20 items per page. `?page=2` is the second one. The headers are `Total-Count`, `Total-Pages`, `Current-Page` and `Page-Items`. The SDK and `--all` read all pages.',
  Idempotency:
    'GET, PATCH and DELETE may be repeated. There are no idempotency keys: a POST that is repeated creates a second resource. After a timeout, look for the first one before you send it again, as the SDK and the command line do.',
  'Rate limit':
    'Above the limit the response is `429` with `Retry-After` in seconds. The limit itself is not documented. The SDK and the command line wait and retry.',
  Webhooks:
    'The API sends no webhooks. Ask again instead: `If-None-Match` makes an unchanged response a `304`, and `mkt watch` reports changes.',
};

/** The endpoint reference: general rules, a table of all endpoints, each resource with its endpoints, the errors. */
export function reference({ document, baseUrl, commandOf }: ReferenceOptions): Block[] {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const all = (Object.keys(contract) as ResourceName[]).map((name) => {
    const endpoints: Endpoints = contract[name];
    const documented = Object.values(endpoints).map((endpoint) => {
      const operation = operations.find(({ operationId }) => operationId === endpoint.operation);
      if (!operation) throw new Error(`The OpenAPI document lacks ${endpoint.operation}.`);
      return { endpoint, operation };
    });
    return { resource: resources[name] as ResourceDescription, endpoints, documented };
  });
  const { schemas } = document.components;
  const errors = new Map(operations.flatMap(({ responses }) => errorsOf(responses)));

  return [
    heading(2, 'All endpoints'),
    { kind: 'list', items: introduction },
    ...Object.entries(topics).flatMap(([title, text]) => [heading(3, title), paragraph(text)]),
    heading(2, 'Operations'),
    ...table(
      ['Operation', 'Request'],
      all.flatMap(({ documented }) =>
        documented.map(({ endpoint: { method, path }, operation }) => [
          linkTo(operation.summary),
          `\`${method} ${path}\``,
        ]),
      ),
    ),
    ...all.flatMap(({ resource, endpoints, documented }) => [
      heading(2, resource.heading),
      paragraph(about[resource.name as ResourceName]),
      heading(3, `The ${resource.singular}`),
      ...representation((endpoints.get ?? endpoints.create ?? endpoints.list)?.response, schemas),
      ...behavior(resource, endpoints),
      ...documented.flatMap(({ endpoint, operation }) => {
        const { ids, fields } = exampleOf(endpoint);
        const path = endpoint.path.replace(/:([a-z_]+)/g, (_, name: string) => String(ids[name]));
        const creation = documented.find((other) => other.endpoint === endpoints.create);
        const examples = Object.values(operation.responses).flatMap(exampleIn);
        return [
          { ...heading(3, operation.summary), operation: endpoint.operation },
          paragraph(`\`${endpoint.method} ${endpoint.path}\``),
          paragraph(operation.description),
          ...table(
            ['', ''],
            [
              ['Response', successOf(endpoint, resource)],
              [
                'Errors',
                errorsOf(operation.responses)
                  .map(([title]) => linkTo(title))
                  .join(', '),
              ],
              ...inputs(endpoint),
              ...(commandOf ? [['Command line', `\`${commandOf(endpoint, path)}\``]] : []),
            ],
          ),
          ...(isOnlyList(endpoint) ? representation(endpoint.response, schemas) : []),
          ...(endpoint.request ? requestFields(endpoint, endpoint.request, creation, schemas) : []),
          code('sh', curl(endpoint, baseUrl + path, fields)),
          code('ts', sdkCall(endpoint, ids, fields)),
          ...examples.flatMap((example) => [
            paragraph(endpoint.paginated ? 'The response, with one of its items:' : 'The response:'),
            code('json', JSON.stringify(example, null, 2)),
          ]),
        ];
      }),
    ]),
    heading(2, 'Errors'),
    paragraph(
      'A rejected request has changed nothing. Its body is `{"error": "A sentence."}`, and with `422` it is `{"errors": {"cpm_amount": ["Cpm amount must be 0 or more."]}}`.',
    ),
    ...[...errors].sort().flatMap(([title, { description }]) => [heading(3, title), paragraph(description)]),
  ];
}

/** `401 Unauthorized`, with its response, for each error response. */
const errorsOf = (responses: Operation['responses']): [title: string, ResponseObject][] =>
  Object.entries(responses).flatMap(([status, response]) => {
    if (!('$ref' in response)) return [];
    const name = response.$ref.replace(/^.*\//, '') as keyof typeof failures;
    return [[`${status} ${name.replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`, failures[name]]];
  });

const exampleIn = (response: ResponseObject | Reference): object[] => {
  const example = 'content' in response && response.content?.['application/json']?.example;
  return example ? [example] : [];
};

/** Whether its items are in no other response. */
const isOnlyList = (endpoint: Endpoint): boolean => nestedListOf(endpoint)?.resource === null;

function successOf(endpoint: Endpoint, { singular, plural }: ResourceDescription): string {
  const { status, paginated, etag, response } = endpoint;
  if (isOnlyList(endpoint)) return `\`${status}\`, a page of items with these fields`;
  if (status === 204) return '`204`, no body';
  if (status === 303)
    return `\`303\` to the page of the ${singular}. The SDK and the command line then read the ${singular}`;
  const link = `the-${anchorOf(singular)}`;
  const brief = response && schemaName(response).endsWith('ListItem') ? ', without `brief`' : '';
  const what = paginated ? `a page of [${plural}](#${link})${brief}` : `the [${singular}](#${link})`;
  return `\`${status}\`, ${what}${etag ? '; `304` for a matching `If-None-Match`' : ''}`;
}

const inputs = ({ paginated, query, request }: Endpoint): string[][] => [
  ...(paginated ? [['Query', '`page`: the page number, from 1. Past the last page the list is empty']] : []),
  ...Object.keys(query).map((name) => ['Query', `\`${name}\`: a web page from which the draft is filled`]),
  ...(request ? [['Body', `\`{"${request.wrapper}": {...}}\`${request.optional === true ? ', optional' : ''}`]] : []),
];

/** A JSON Schema's type in words. */
function typeOf({ type, enum: values, items, anyOf, format = '' }: JsonSchema): string {
  if (values) return codes(values as string[]);
  if (anyOf) return [...new Set((anyOf as JsonSchema[]).map(typeOf))].join(' or ');
  if (typeof type === 'object') return type.map((each) => typeOf({ type: each, items, format })).join(' or ');
  if (type === 'array') return `list of ${typeOf(items as JsonSchema)}`;
  if (type === 'string') return { uri: 'URL', 'date-time': 'timestamp' }[format] ?? 'string';
  return type ?? 'any';
}

function representation(response: Schema | null | undefined, schemas: Readonly<Record<string, JsonSchema>>): Block[] {
  const { properties = {}, required = [] } = (response && schemas[schemaName(response)]) ?? {};
  const rows = Object.entries(properties).map(([name, property]) => {
    const inner = Object.entries(property.properties ?? {}).map(([field, of]) => `\`${field}\` (${typeOf(of)})`);
    const type = inner.length > 0 ? `object: ${inner.join(', ')}` : typeOf(property);
    return [`\`${name}\``, required.includes(name) ? type : `${type}, may be absent`, property.description ?? ''];
  });
  return table(['Field', 'Type', 'Description'], rows);
}

/** The states of a resource with their transitions, its money fields and its locked fields. */
function behavior({ singular, fields, states, money, locked }: ResourceDescription, endpoints: Endpoints): Block[] {
  const row = (who: string, name: string, { from, to }: Transition) => [`\`${name}\``, who, codes(from), `\`${to}\``];
  const byClients = Object.entries(endpoints).flatMap(([name, { role, transition }]) =>
    transition ? [row(role, name, transition)] : [],
  );
  const byMarketplace = Object.entries(states?.marketplace ?? {}).map(([name, transition]) =>
    row('the marketplace', name, transition),
  );
  return [
    ...(states && byClients.length > 0
      ? [
          paragraph(`A new ${singular} is \`${states.initial}\`. These actions change its \`${states.field}\`:`),
          ...table(['Action', 'By', 'From', 'To'], [...byClients, ...byMarketplace]),
        ]
      : []),
    ...(money
      ? [
          paragraph(
            [
              `Amounts in \`${money.currency}\`: ${codes(fieldsOfKind(fields, 'amount'))}.`,
              ...money.ranges.map(({ min, max }) => `\`${min}\` is at most \`${max}\`.`),
            ].join(' '),
          ),
        ]
      : []),
    ...(locked ? [paragraph(`Locked once \`${locked.since}\` is set: ${codes(locked.fields)}.`)] : []),
  ];
}

/** The limits of a field in words. What its description says is not repeated. */
const limitsOf = ({ maxItems, items, maxLength, minimum }: JsonSchema): string =>
  [
    maxItems === undefined ? '' : `at most ${maxItems} items`,
    items ? limitsOf(items as JsonSchema) : '',
    maxLength === undefined ? '' : `at most ${maxLength} characters`,
    minimum === undefined ? '' : `${minimum} or more`,
  ]
    .filter(Boolean)
    .join('; ');

/** The fields of a request. An update with the same fields as the creation refers to it. */
function requestFields(
  endpoint: Endpoint,
  { fields, wrapper, file }: RequestBody,
  creation: { readonly endpoint: Endpoint; readonly operation: Operation } | undefined,
  schemas: Readonly<Record<string, JsonSchema>>,
): Block[] {
  const { properties = {}, required = [] } = schemas[schemaName(fields)] ?? {};
  const created = creation?.endpoint.request;
  if (created && creation.endpoint !== endpoint) {
    const { properties: createdProperties = {} } = schemas[schemaName(created.fields)] ?? {};
    if (Object.keys(createdProperties).join() === Object.keys(properties).join())
      return [
        paragraph(
          `Fields: the same as for ${linkTo(creation.operation.summary, 'the creation')}, all optional. Omitted fields stay unchanged.`,
        ),
      ];
  }
  const rows = Object.entries(properties).map(([name, property]) => {
    const type = name.startsWith('purge_') ? '`"1"`' : typeOf(property);
    return [
      `\`${name}\``,
      required.includes(name) ? `${type}, required` : type,
      property.description ?? '',
      limitsOf(property),
    ];
  });
  const image = [
    `\`${file}\``,
    'file',
    `The ${file}. Only in a multipart request, whose fields are named \`${wrapper}[name]\`, \`${wrapper}[${file}]\`.`,
    'PNG, JPEG, WebP or GIF; at most 5 MiB and 50 million pixels',
  ];
  return table(['Field', 'Type', 'Description', 'Limits'], file ? [...rows, image] : rows);
}

function curl({ method, request }: Endpoint, url: string, fields: object | undefined): string {
  const body =
    request && fields && JSON.stringify({ [request.wrapper]: fields }).replaceAll(/([:,])(?=["[{\dtf])/g, '$1 ');
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${url}" \\`,
    `  -H "Authorization: Bearer $MKT_TOKEN" -H 'Accept: application/json'${body ? ' \\' : ''}`,
    ...(body ? [`  -H 'Content-Type: application/json' -d '${body}'`] : []),
  ].join('\n');
}

function sdkCall({ operation, path }: Endpoint, ids: Readonly<Record<string, unknown>>, fields?: object): string {
  const given = [...path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => ids[name]);
  return `await mkt.${operation}(${[...given, ...(fields ? [fields] : [])].map(literal).join(', ')});`;
}

/** A value as TypeScript. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  const properties = Object.entries(value).map(([name, of]) => `${name}: ${literal(of)}`);
  return `{ ${properties.join(', ')} }`;
}
