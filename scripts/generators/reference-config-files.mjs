// docs/reference/config-files.md: the files that the programs read and write. Keys of profiles and of seed files
// come from the schemas that read them.
import ts from 'typescript';
import { fromSources } from '../lib/from-source.mjs';
import { cell, fence, table } from '../lib/markdown.mjs';
import { expectedOf } from '../lib/schemas.mjs';
import { nodesOf, plainDocOf } from '../lib/typescript.mjs';

export const output = 'docs/reference/config-files.md';

const sources = `
export { topics } from '../../cli/src/root/help/topics.ts';
export * as seed from './seed/file/schema.ts';
`;

/** Parts of a seed file in the order of the page: their names there, and what is left out means. */
const seedParts = [
  ['file', 'The file', ''],
  [
    'user',
    'A user',
    'Under `users`, by handle. Nothing after the colon is a user with all defaults: id `usr_<handle>`, the handle as name, `<handle>@example.com`.',
  ],
  [
    'token',
    'A token',
    'In `tokens`. Without a secret a random one is made, and `mkt serve` prints it; the permission is `write` by default.',
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
    "In `campaigns`; a draft by default, with the API's defaults. Of the three budget amounts, what is left out follows from the others.",
  ],
  ['collab', 'A collab', 'In `collabs`; a draft by default.'],
  ['nextIds', 'The next ids', 'In `next_ids`: where counting goes on, when rows have gone.'],
];

/** Fields that the API takes too are explained there. */
const seedTable = ({ schema }) =>
  table(
    ['Key', 'Takes'],
    Object.entries(schema.shape).map(([name, field]) => [`\`${name}\``, cell(expectedOf(field))]),
  );

/** Keys of a profile in the source of its schema, with their comments. */
function profileKeys() {
  const schema = nodesOf('packages/cli/src/config/config-file.ts').find(
    (node) => ts.isVariableDeclaration(node) && node.name.getText() === 'profile',
  );
  return schema.initializer.arguments[0].properties.map((property) => {
    const words = plainDocOf(property);
    if (!words) throw new Error(`${output} has no words for ${property.name.getText()} of a profile.`);
    return [`\`${property.name.getText()}\``, cell(words)];
  });
}

export async function generate() {
  const { topics, seed } = await fromSources('packages/server/src', sources);
  const [decides] = topics.find(({ name }) => name === 'config').sections;
  const lines = [
    '<!-- Generated from the source by `npm run generate`. Do not edit. -->',
    '',
    '# Files',
    '',
    'For people who want to know what `mkt` writes on their computer, and for those who write seed files.',
    '',
    '## Where settings come from',
    '',
    'The first that says something decides:',
    '',
    ...table(
      ['', ''],
      decides.entries.map(([what, text]) => [cell(what), cell(text)]),
    ),
    '`mkt config list --show-origin` shows what holds and why; `mkt config path` names the file.',
    '',
    '## config.json',
    '',
    'Sign-ins of the command line, without their tokens. In `~/.config/mkt`; on Windows in `%APPDATA%\\mkt`; `XDG_CONFIG_HOME` and',
    '`MKT_CONFIG_DIR` move it. The folder is 0700, the file 0600. `mkt login`, `mkt auth switch` and `mkt config` write it, atomically and under',
    'a lock.',
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
    '`active` names the profile in use. Keys that a version does not know stay in the file; a value that cannot be right is an error that names its',
    'key. Of a profile:',
    '',
    ...table(['Key', ''], profileKeys()),
    '## credentials.json',
    '',
    'Only where there is no keychain, or with `--storage file`: tokens by profile and host, in the same folder, 0600. `mkt` says so before it',
    'writes the first one, and mends a file that others can read.',
    '',
    '## .mkt.json',
    '',
    'Settings of a project: the nearest file, from the present folder upwards. It may hold `org` and `format`. Every other key is ignored, since',
    'such a file may come from somebody else: it can name no host, no token and no profile.',
    '',
    ...fence('json', [JSON.stringify({ org: '5', format: 'json' }, null, 2)]),
    '## completion.json',
    '',
    'Ids and names of what was listed lately, for Tab. In `~/.cache/mkt`; on Windows in `%LOCALAPPDATA%\\mkt\\cache`; with `MKT_CONFIG_DIR` in the',
    'folder `cache` there; `XDG_CACHE_HOME` moves it. It may be deleted at any time.',
    '',
    '## Seed files',
    '',
    'What an empty store of `mkt serve --seed FILE` starts with, and what the option `seed` of the mock takes. YAML or JSON. Users and',
    'organizations have handles; what is left out follows the defaults of the API. All problems are reported at once, with their lines.',
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
    '`mkt serve export --db FILE.db` writes such a file from a store, without access tokens: only their digests are stored. An image is a path',
    'relative to the file, or a data URL. [The endpoints](endpoints.md) describe the fields of the API.',
    '',
    ...seedParts.flatMap(([name, title, about]) => [`### ${title}`, '', about, '', ...seedTable(seed[name])]),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
