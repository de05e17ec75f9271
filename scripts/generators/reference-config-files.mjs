// docs/reference/config-files.md: the files that the programs read and write. The keys of profiles and of seed files come from
// their schemas.
import ts from 'typescript';
import { fromSources } from '../lib/from-source.mjs';
import { cell, fence, table } from '../lib/markdown.mjs';
import { nodesOf, plainDocOf } from '../lib/typescript.mjs';

export const output = 'docs/reference/config-files.md';

const sources = `
export { topics } from '../../cli/src/root/help/topics.ts';
export * as seed from './seed/file/schema.ts';
export * as limits from './openapi/field-limits.ts';
`;

/** Parts of a seed file in the order of the page, with their titles and defaults. */
const seedParts = [
  ['file', 'The file', ''],
  [
    'user',
    'A user',
    'Under `users`, by handle. An empty value creates a user with all defaults: id `usr_<handle>`, the handle as name, `<handle>@example.com`.',
  ],
  [
    'token',
    'A token',
    'In `tokens`. Without a secret a random one is generated, and `mkt serve` prints it. The permission is `write` by default.',
  ],
  ['socialAccount', 'A social account', 'In `social_accounts`; pending by default.'],
  ['address', 'An address', 'In `address`.'],
  [
    'organization',
    'An organization',
    'Under `organizations`, by handle. It needs an owner or an admin among its members. A private one needs a `logo`.',
  ],
  [
    'member',
    'A member',
    "In `members`, by the user's handle: `ada: owner`, or a mapping. They join in the order of the file.",
  ],
  [
    'campaign',
    'A campaign',
    "In `campaigns`; a draft by default, with the API's defaults. If one of the three budget amounts is missing, it is calculated from the others.",
  ],
  ['collab', 'A collab', 'In `collabs`; a draft by default.'],
  ['nextIds', 'The next ids', 'In `next_ids`: the next id of each kind, if rows were deleted.'],
];

/** What a field of a seed file may be: `required; an integer; 1 or more`. */
function expectedOf(schema, { definitionOf, isOptional, limitsOf }) {
  let inner = schema;
  while (definitionOf(inner).innerType) inner = definitionOf(inner).innerType;
  const { type, error } = definitionOf(inner);
  const message = error?.({});
  const own =
    typeof message === 'string'
      ? message.replace(/^must be /, '')
      : { string: 'text', array: 'a list', boolean: 'true or false' }[type];
  return [...(isOptional(schema) ? [] : ['required']), own, limitsOf(schema)].filter(Boolean).join('; ');
}

/** The endpoint reference explains the fields of the API. */
const seedTable = ({ schema }, limits) =>
  table(
    ['Key', 'Value'],
    Object.entries(schema.shape).map(([name, field]) => [`\`${name}\``, cell(expectedOf(field, limits))]),
  );

/** The keys of a profile with their comments, from the source of its schema. */
function profileKeys() {
  const schema = nodesOf('packages/cli/src/config/config-file.ts').find(
    (node) => ts.isVariableDeclaration(node) && node.name.getText() === 'profile',
  );
  return schema.initializer.arguments[0].properties.map((property) => {
    const description = plainDocOf(property);
    if (!description) throw new Error(`${output} has no description of ${property.name.getText()} of a profile.`);
    return [`\`${property.name.getText()}\``, cell(description)];
  });
}

export async function generate() {
  const { topics, seed, limits } = await fromSources('packages/server/src', sources);
  const [decides] = topics.find(({ name }) => name === 'config').sections;
  const lines = [
    '<!-- Generated from the source by `npm run generate`. Do not edit. -->',
    '',
    '# Files',
    '',
    'The files that `mkt` writes on your computer, and the format of seed files.',
    '',
    '## Order of settings',
    '',
    'The first place that has a value wins:',
    '',
    ...table(
      ['', ''],
      decides.entries.map(([what, text]) => [cell(what), cell(text)]),
    ),
    '`mkt config list --show-origin` shows each value and where it comes from; `mkt config path` shows the file.',
    '',
    '## config.json',
    '',
    'The profiles of the command line, without their tokens. The file is in `~/.config/mkt`, on Windows in `%APPDATA%\\mkt`; `XDG_CONFIG_HOME`',
    'and `MKT_CONFIG_DIR` change the folder. The folder has mode 0700, the file 0600. `mkt login`, `mkt auth switch` and `mkt config` write it',
    'atomically, with a lock.',
    '',
    ...fence(
      'json',
      JSON.stringify(
        {
          active: 'default',
          profiles: {
            default: {
              base_url: 'https://api.example.com',
              organization: { id: '5', name: 'Acme Cosmetics' },
              storage: 'keyring',
              token_host: 'https://api.example.com',
              token_last4: 'rite',
            },
          },
        },
        null,
        2,
      ).split('\n'),
    ),
    '`active` is the profile in use. Unknown keys stay in the file; an invalid value is an error that names its key. The keys of a profile:',
    '',
    ...table(['Key', ''], profileKeys()),
    '## credentials.json',
    '',
    'Tokens by profile and host, in the same folder, with mode 0600. Used only if there is no keychain, or with `--storage file`. `mkt` says so',
    'before it stores the first token, and corrects the mode if others can read the file.',
    '',
    '## .mkt.json',
    '',
    'Settings of a project: the nearest file, from the current folder upwards. It can contain `org` and `format`. Other keys are ignored, because',
    'such a file may come from someone else and must not choose a host, a token or a profile.',
    '',
    ...fence('json', [JSON.stringify({ org: '5', format: 'json' }, null, 2)]),
    '## completion.json',
    '',
    'Ids and names from recent lists, for completion. The file is in `~/.cache/mkt`, on Windows in `%LOCALAPPDATA%\\mkt\\cache`, with',
    '`MKT_CONFIG_DIR` in its folder `cache`; `XDG_CACHE_HOME` changes the folder. You can delete it at any time.',
    '',
    '## Seed files',
    '',
    'The initial data for `mkt serve --seed FILE` and for the option `seed` of the mock, as YAML or JSON. Users and organizations have handles;',
    'missing values get the defaults of the API. All problems are reported at once, with their lines.',
    '',
    ...fence('yaml', [
      'users:',
      '  ada:',
      '    tokens: [{secret: mkt_for_my_tests}]',
      '  ben:',
      'organizations:',
      '  acme:',
      '    name: Acme Cosmetics',
      '    members: {ada: owner, ben: member}',
      '    campaigns:',
      '      - {name: Summer, status: active, total_budget_amount: 5000}',
      '      - {name: Autumn, countries: [US, CA]}',
    ]),
    '`mkt serve export --db FILE.db` writes such a file from a store, without access tokens, because only their digests are stored. An image is a',
    'path relative to the file, or a data URL. [Endpoints](endpoints.md) describes the fields of the API.',
    '',
    ...seedParts.flatMap(([name, title, about]) => [`### ${title}`, '', about, '', ...seedTable(seed[name], limits)]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
