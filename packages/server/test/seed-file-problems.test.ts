import { describe, expect, test } from 'vitest';
import { sha256 } from '../src/digest.js';
import { parseSeed, SeedError } from '../src/seed/file.js';

const random = (bytes: number) => 'x'.repeat(bytes);

async function rejection(text: string, readImage?: (path: string) => Promise<Uint8Array>): Promise<SeedError> {
  const error = await parseSeed(text, { sha256, random, ...(readImage ? { readImage } : {}) }).catch(
    (reason: unknown) => reason,
  );
  if (!(error instanceof SeedError)) throw new Error(`Expected a SeedError, got ${String(error)}`);
  return error;
}

const problemsOf = async (...parameters: Parameters<typeof rejection>) =>
  (await rejection(...parameters)).problems.map(({ line, column, path, message }) => [line, column, path, message]);

/** A seed with one organization, whose lines from the fourth on are `lines`. */
const acme = (...lines: string[]) =>
  ['users: {ada: , ben: }', 'organizations:', '  acme:', ...lines.map((line) => `    ${line}`)].join('\n');
const owned = (...lines: string[]) => acme('name: Acme', 'members: {ada: owner}', ...lines);

describe('problems of a seed file', () => {
  test('reports those of all fields at once, by line, with a sentence each', async () => {
    const error = await rejection(`users:
  ada:
    nmae: Ada
    tokens:
      - {secret: two words}
      - {secret: mkt_12345, permission: admin}
    address: {city: Paris}
  Bob: {email: nowhere}
organizations:
  acme:
    website: acme
    members: {ada: owner, zoe: admin}
    campaigns:
      - {name: A, cpm_amount: -1, countries: [US, XX]}
      - {}
    collabs:
      - {state: live}
`);
    expect(error.message.split('\n')).toEqual([
      'The seed has 15 problems:',
      '  line 3, column 5: users.ada.nmae: A user has no field nmae. Did you mean name?',
      '  line 5, column 18: users.ada.tokens[0].secret: Secret must be 8 or more letters, digits or -._~+/ without white space.',
      '  line 6, column 41: users.ada.tokens[1].permission: Permission must be read or write.',
      '  line 7, column 5: users.ada.address.address_one: Address one is required.',
      '  line 7, column 5: users.ada.address.state: State is required.',
      '  line 7, column 5: users.ada.address.postal_code: Postal code is required.',
      '  line 7, column 5: users.ada.address.country_code: Country code is required.',
      '  line 8, column 3: users.Bob: A handle starts with a lowercase letter, followed by lowercase letters, digits, - or _.',
      '  line 8, column 16: users.Bob.email: Email must be an e-mail address, such as ada@example.com.',
      '  line 10, column 3: organizations.acme.name: Name is required.',
      '  line 11, column 14: organizations.acme.website: Website must be an http or https address, such as https://example.com.',
      '  line 14, column 31: organizations.acme.campaigns[0].cpm_amount: Cpm amount must be 0 or more.',
      '  line 14, column 35: organizations.acme.campaigns[0].countries: Countries must be known country codes, not XX.',
      '  line 15, column 9: organizations.acme.campaigns[1].name: Name is required.',
      '  line 17, column 17: organizations.acme.collabs[0].state: State must be draft, submitted_for_review, published or paused.',
    ]);
  });

  test.each([
    ['nothing', '', 1, 1, /starts with "users:"/],
    ['a list', '- ada\n', 1, 1, /starts with "users:"/],
    ['no users', 'organizations: {}\n', 1, 1, /^Users is required\.$/],
    ['users that are a list', 'users:\n  - ada\n', 1, 1, /must be a mapping of handles to users/],
    ['broken YAML', 'users:\n  ada: {name: Ada\n  ben:\n', 3, 3, /./],
    ['the same handle twice', 'users:\n  ada:\n  ada:\n', 3, 3, /unique/],
    ['a tab for an indent', 'users:\n\tada:\n', 2, 1, /[Tt]ab/],
    ['an alias without an anchor', 'users:\n  ada: *ben\n', 2, 8, /no anchor &ben before the alias \*ben/],
    ['a tag', 'users:\n  ada: {name: !person Ada}\n', 2, 15, /person/],
    ['two documents', 'users: {ada: }\n---\nusers: {ben: }\n', 2, 1, /multiple documents/],
  ])('rejects %s', async (_, text, line, column, message) => {
    const [first] = (await rejection(text)).problems;
    expect([first?.line, first?.column]).toEqual([line, column]);
    expect(first?.message).toMatch(message);
  });

  test('reports broken JSON with its line', async () => {
    const [first] = (await rejection('{\n  "users": {\n    "ada": {"name": "Ada",,}\n  }\n}')).problems;
    expect(first?.line).toBe(3);
  });

  test('rejects aliases that multiply without end', async () => {
    const bomb = [
      'a: &a [x,x,x,x,x,x,x,x,x]',
      ...'bcdefgh'.split('').map((name, index) => {
        const before = 'abcdefg'[index];
        return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`;
      }),
    ].join('\n');
    expect(await problemsOf(bomb)).toEqual([[1, 1, '', expect.stringMatching(/alias/)]]);
  });

  test.each([
    ['a name that is not text', acme('name: 5', 'members: {ada: owner}'), 4, 'name', 'Name must be text.'],
    [
      'a brief template that sanitizing makes too long',
      owned(`brief_template: "${'<'.repeat(20_000)}"`),
      6,
      'brief_template',
      'Brief template must be at most 64 KiB long after its special characters are escaped.',
    ],
    ['an unknown privacy', owned('privacy_setting: secret'), 6, 'privacy_setting', /public, private or restricted/],
    ['an unknown currency', owned('default_currency: xyz'), 6, 'default_currency', /not xyz/],
    ['an unknown country', owned('default_countries: [US, QQ]'), 6, 'default_countries', /not QQ/],
    ['a date instead of a time', owned('created_at: 2026-01-01'), 6, 'created_at', /time in UTC with seconds/],
    [
      'a fraction of a second',
      owned('created_at: 2026-01-01T00:00:00.5Z'),
      6,
      'created_at',
      /whole seconds, such as 2026/,
    ],
    [
      'a time before the creation',
      owned('updated_at: 2026-01-01T00:00:00Z', 'created_at: 2026-01-01T00:00:01Z'),
      6,
      'updated_at',
      /^Updated at must not be before created at, which is 2026-01-01T00:00:01Z\.$/,
    ],
    ['a day that does not exist', owned('created_at: 2026-02-30T00:00:00Z'), 6, 'created_at', /time in UTC/],
    ['a year that does not exist', owned('created_at: 0000-02-20T00:00:00Z'), 6, 'created_at', /time in UTC/],
    ['private without a logo (D31)', owned('privacy_setting: private'), 3, 'logo', /needs a logo/],
    ['a key without an image', owned('logo_key: abcdefgh'), 6, 'logo_key', /Give logo too/],
    ['no members', acme('name: Acme'), 3, 'members', /needs an owner or an admin/],
    ['no admin', acme('name: Acme', 'members: {ada: member}'), 5, 'members', /needs an owner or an admin/],
    ['two owners', acme('name: Acme', 'members: {ada: owner, ben: owner}'), 5, 'members', /at most one owner/],
    ['an unknown role', acme('name: Acme', 'members: {ada: boss}'), 5, 'members.ada.role', /owner, admin or member/],
    [
      'a misspelt member',
      acme('name: Acme', 'members: {ada: owner, bne: member}'),
      5,
      'members.bne',
      /Did you mean ben\?/,
    ],
    ['a misspelt field', owned('websit: https://acme.example'), 6, 'websit', /Did you mean website\?/],
    ['a mapping instead of a list', owned('campaigns: {name: A}'), 6, 'campaigns', 'Campaigns must be a list.'],
    ['a text instead of a campaign', owned('campaigns: [A]'), 6, 'campaigns[0]', /the fields of a campaign/],
    [
      'payouts crossed (D33)',
      owned('campaigns:', '  - name: A', '    min_payout_amount: 20000'),
      8,
      'campaigns[0].min_payout_amount',
      /at most the max/,
    ],
    [
      'more used than the total budget',
      owned('campaigns:', '  - name: A', '    used_amount: 5', '    total_budget_amount: 4'),
      8,
      'campaigns[0].used_amount',
      /at most the total/,
    ],
    [
      'amounts with a wrong sum',
      owned('campaigns:', '  - {name: A, used_amount: 5, unused_amount: 1, total_budget_amount: 4}'),
      7,
      'campaigns[0].total_budget_amount',
      /5 \+ 1 is not 4/,
    ],
    [
      'a draft that is published (D37)',
      owned('campaigns:', '  - {name: A, published_at: 2026-01-01T00:00:00Z}'),
      7,
      'campaigns[0].published_at',
      /draft, published_at cannot be set/,
    ],
    [
      'paused, but active',
      owned('campaigns:', '  - {name: A, status: active, paused_at: 2026-01-01T00:00:00Z}'),
      7,
      'campaigns[0].paused_at',
      /active, paused_at cannot be set/,
    ],
    [
      'published without a time',
      owned('collabs:', '  - {state: published, published_at: null}'),
      7,
      'collabs[0].published_at',
      /published, published_at cannot be null/,
    ],
    [
      'a repeated id',
      owned('collabs:', '  - {id: 3}', '  - {id: 3}'),
      8,
      'collabs[1].id',
      'Id 3 is already used by organizations.acme.collabs[0] (line 7).',
    ],
    ['a path in a seed that is not a file', owned('logo: logo.png'), 6, 'logo', /must be a data URL/],
    ['data that is not an image', owned('logo: data:image/png;base64,aGVsbG8='), 6, 'logo', /PNG, JPEG, WebP or GIF/],
    ['a malformed data URL', owned('logo: data:image/png,hello'), 6, 'logo', /such as data:image\/png;base64/],
  ])('rejects %s', async (_, text, line, field, message) => {
    const problems = await problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.[0]).toBe(line);
    expect(problems[0]?.[2]).toBe(`organizations.acme.${field}`);
    expect(problems[0]?.[3]).toMatch(message);
  });

  test.each([
    ['user id', 'ada: {id: usr_1}', 'ben: {id: usr_1}', /user id is already used by users\.ada\.id/],
    ['e-mail address', 'ada: {email: a@b.example}', 'ben: {email: a@b.example}', /already used by users\.ada\.email/],
    [
      'secret',
      'ada: {tokens: [{secret: mkt_12345678}]}',
      'ben: {tokens: [{secret: mkt_12345678}]}',
      /secret is already used by users\.ada\.tokens\[0\]\.secret/,
    ],
    [
      'token id',
      'ada: {tokens: [{id: 4, secret: mkt_123456}]}',
      'ben: {tokens: [{id: 4, secret: mkt_456789}]}',
      /Id 4 is already used by users\.ada\.tokens\[0\]/,
    ],
    [
      'account URL (D45)',
      'ada: {social_accounts: [{platform_id: x, account_url: "https://www.tiktok.com/@a"}]}',
      'ben: {social_accounts: [{platform_id: x, account_url: "http://tiktok.com/@a/"}]}',
      /already connected/,
    ],
  ])('rejects a second %s that is the same', async (_, first, second, message) => {
    const problems = await problemsOf(`users:\n  ${first}\n  ${second}\n`);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.[0]).toBe(3);
    expect(problems[0]?.[3]).toMatch(message);
  });

  test('reports why a file cannot be read', async () => {
    const problems = await problemsOf(owned('logo: logo.png'), async () => {
      throw new Error('no such file: logo.png');
    });
    expect(problems).toEqual([[6, 11, 'organizations.acme.logo', 'Logo cannot be read: no such file: logo.png.']]);
  });

  test('rejects an image that is too large (D30)', async () => {
    const problems = await problemsOf(owned('campaigns: [{name: A, banner_image: big.png}]'), async () => {
      return new Uint8Array(5 * 1024 * 1024 + 1);
    });
    expect(problems).toEqual([
      [6, 41, 'organizations.acme.campaigns[0].banner_image', 'Banner image must be at most 5 MiB.'],
    ]);
  });

  test('also checks the fields inside of objects with problems', async () => {
    const text = acme('members: {ada: owner}', 'collabs:', '  - {}', '  - {state: paused, published_at: yesterday}');
    expect(await problemsOf(text)).toEqual([
      [3, 3, 'organizations.acme.name', 'Name is required.'],
      [7, 39, 'organizations.acme.collabs[1].published_at', expect.stringMatching(/time in UTC/)],
    ]);
  });

  test('then reports what all objects contradict, or what rules reject (D171)', async () => {
    const text = `${owned(
      'campaigns:',
      '  - {name: Good}',
      '  - {name: Bad, used_amount: 2, total_budget_amount: 1}',
      'collabs:',
      '  - {state: paused, published_at: null}',
    )}
  zoo: {name: Zoo, members: {zoe: admin}}
  secret: {name: Secret, privacy_setting: private, members: {ben: admin}}
`;
    expect(await problemsOf(text)).toEqual([
      [8, 34, 'organizations.acme.campaigns[1].used_amount', expect.stringMatching(/at most the total/)],
      [10, 25, 'organizations.acme.collabs[0].published_at', expect.stringMatching(/cannot be null/)],
      [11, 30, 'organizations.zoo.members.zoe', 'No user has the handle zoe. Add the user under users.'],
      [12, 3, 'organizations.secret.logo', expect.stringMatching(/^A private organization needs a logo\./)],
    ]);
  });

  test('rejects a next id that is used', async () => {
    expect(await problemsOf(`${owned('campaigns: [{name: A, id: 7}]')}\nnext_ids: {campaigns: 7}\n`)).toEqual([
      [7, 23, 'next_ids.campaigns', 'Campaigns go up to 7: this must be more.'],
    ]);
  });

  test.each(['[{secret: "my secret"}]', '[{secret: mkt_123456}, {secret: mkt_123456}]'])(
    'does not show secrets: %s',
    async (tokens) => {
      const error = await rejection(`users:\n  ada: {tokens: ${tokens}}\n`);
      expect(error.problems).toHaveLength(1);
      expect(error.message).not.toMatch(/my secret|mkt_1/);
    },
  );
});
