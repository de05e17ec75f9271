import fc from 'fast-check';
import { anyRequest, type GeneratedRequest } from './generated-requests.js';

export const json = { accept: 'application/json', 'content-type': 'application/json' };

/** One request, or something that happens outside the API; `null` does nothing, which is what failing steps shrink to. */
export type Step =
  | { readonly kind: 'request'; readonly request: GeneratedRequest }
  /** The same request with the token that was created last in this sequence. */
  | { readonly kind: 'with new token'; readonly request: GeneratedRequest }
  /** The last GET again, with the ETag that it was answered with. */
  | { readonly kind: 'conditional' }
  /** The last membership that was seen in a list, with a role that is sent or none: then it is removed. */
  | { readonly kind: 'member seen'; readonly who: string; readonly role: string | null }
  /** The picture that an answer named last. */
  | { readonly kind: 'picture' }
  | { readonly kind: 'act'; readonly name: 'fund' | 'finish' | 'review' | 'results' | 'sync'; readonly id: number }
  | null;

const request = anyRequest.map((generated): Step => ({ kind: 'request', request: generated }));

/** The body with only one of its fields, because whole bodies mostly violate some rule. */
function withOneField({ body }: GeneratedRequest, chosen: number): GeneratedRequest['body'] {
  if (body.kind !== 'json' || body.value === null || typeof body.value !== 'object') return body;
  const [wrapper, fields] = Object.entries(body.value)[0] ?? [];
  if (wrapper === undefined || fields === null || typeof fields !== 'object') return body;
  const entries = Object.entries(fields);
  return { kind: 'json', value: { [wrapper]: Object.fromEntries(entries.slice(chosen % entries.length).slice(0, 1)) } };
}

/** The same requests by a member of the organization in the path, on resources in every state that rules require. */
const permitted = fc
  .record({
    generated: anyRequest,
    caller: fc.constantFrom(
      ...Array<[string, number]>(5).fill(['ada_write', 5]),
      ...Array<[string, number]>(3).fill(['ben_write', 5]),
      ['cleo_write', 5],
      ['dan_write', 6],
      ['ada_write', 7],
      ['ben_write', 8],
      ['dan_write', 9],
      ['ben_write', 10],
    ),
    campaign: fc.constantFrom(1, 2, 3, 4, 10, 20, 48, 49),
    collab: fc.constantFrom(1, 2, 3, 4, 5, 19, 25, 26),
    oneField: fc.boolean(),
    chosen: fc.nat(20),
  })
  .map(({ generated, caller: [who, organization], campaign, collab, oneField, chosen }): Step => {
    const path = generated.path
      .replace(/^\/organizations\/[^/.?]+/, `/organizations/${organization}`)
      .replace(/members\/mem_\d+_/, `members/mem_${organization}_`)
      .replace(/campaigns\/\d+/, `campaigns/${campaign}`)
      .replace(/collabs\/\d+/, `collabs/${collab}`);
    const body = oneField ? withOneField(generated, chosen) : generated.body;
    const { 'content-type': _, ...headers } = generated.headers;
    const type = body.kind === 'json' ? { 'content-type': 'application/json' } : {};
    const authorization = `Bearer mkt_demo_${who}`;
    return { kind: 'request', request: { ...generated, path, body, headers: { ...headers, ...type, authorization } } };
  });
/** Requests that the rules accept while the demo data is as it was: without them, some rarely succeed. */
const accepted = fc
  .constantFrom<[string, string, string, unknown?]>(
    [
      'campaigns.update',
      'PATCH',
      '/organizations/5/campaigns/3.json',
      { campaign: { name: 'Renamed', website: null } },
    ],
    ['campaigns.update', 'PATCH', '/organizations/5/campaigns/10.json', { campaign: { cpm_amount: 2 ** 53 - 1 } }],
    ['campaigns.delete', 'DELETE', '/organizations/5/campaigns/20.json'],
    ['campaigns.create', 'POST', '/organizations/5/campaigns.json', { campaign: { name: '夏 🌞', countries: [] } }],
    ['collabs.update', 'PATCH', '/organizations/5/collabs/1.json', { collab: { require_spark_ads: true } }],
    ['members.update', 'PATCH', '/organizations/5/members/mem_5_cleo.json', { membership: { role: 'admin' } }],
    ['members.update', 'PATCH', '/organizations/5/members/mem_5_ben.json', { membership: { role: 'member' } }],
    [
      'accessTokens.create',
      'POST',
      '/me/access_tokens.json',
      { access_token: { description: 'x', permission: 'write' } },
    ],
    ['accessTokens.delete', 'DELETE', '/me/access_tokens/2.json'],
  )
  .map(([operation, method, path, value]): Step => {
    const authorization = 'Bearer mkt_demo_ada_write';
    const body = value === undefined ? ({ kind: 'none' } as const) : ({ kind: 'json', value } as const);
    return { kind: 'request', request: { operation, method, path, headers: { ...json, authorization }, body } };
  });

/** One step of a sequence; `null` now and then, and where a failing sequence is shrunk. */
export const step: fc.Arbitrary<Step> = fc.option(
  fc.oneof(
    { weight: 6, arbitrary: request },
    { weight: 11, arbitrary: permitted },
    { weight: 3, arbitrary: accepted },
    { weight: 1, arbitrary: anyRequest.map((generated): Step => ({ kind: 'with new token', request: generated })) },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'conditional' }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('member seen' as const),
        who: fc.constantFrom('ada_write', 'ben_write', 'cleo_write'),
        role: fc.constantFrom('admin', 'member', null),
      }),
    },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'picture' }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('act' as const),
        name: fc.constantFrom(
          'fund' as const,
          'finish' as const,
          'review' as const,
          'results' as const,
          'sync' as const,
        ),
        id: fc.integer({ min: 1, max: 50 }),
      }),
    },
  ),
  { freq: 100 },
);
