import { fieldsOfKind, resources } from '@mkt/sdk/contract';
import type { RemoteControl } from '../connect-control.js';
import type { Control } from '../control/control.js';
import type { Created, FaultEffect, Milliseconds } from '../control-types.js';
import type { Field, FormValues } from './dom.js';

type AnyControl = Control | RemoteControl;

const idOf = (name: string, label: string): Field => ({ name, label: `${label} id` });
const count: Field = { name: 'count', label: 'How many', kind: 'number', value: '1' };
const organization: Field = { ...idOf('organization', 'Organization'), value: '5' };
const states = (resource: 'campaigns' | 'collabs'): Field => ({
  name: resources[resource].states.field,
  label: 'In state',
  kind: resources[resource].states.names,
});

/** Faults that a front end should handle. */
export const effects: Readonly<Record<string, FaultEffect>> = {
  'Error 503': { status: 503, retryAfter: 1 },
  'Error 500': { status: 500 },
  'Rate limit 429': { status: 429, retryAfter: 1 },
  'Slow 503': { delay: 2000, status: 503 },
  'Slow 2 s': { delay: 2000 },
  'No connection': 'drop',
  'No response': 'hang',
  'Broken body': { truncate: 100 },
  'Broken JSON': 'malformed',
  'HTML page': 'wrongType',
};
export const latencies: readonly (readonly [string, Milliseconds])[] = [
  ['None', 0],
  ['100 to 300 ms', [100, 300]],
  ['300 ms to 1 s', [300, 1000]],
  ['2 s', 2000],
];
export const simulations: readonly (readonly [string, { readonly speed: number } | false])[] = [
  ['Off', false],
  ['Real time', { speed: 1 }],
  ['1 hour per second', { speed: 3600 }],
  ['1 day per second', { speed: 86_400 }],
];
/** Steps of the clock. */
export const moves = { '+1 hour': { hours: 1 }, '+1 day': { days: 1 }, '+30 days': { days: 30 } };

interface CreateForm {
  readonly title: string;
  readonly fields: readonly Field[];
  /** Returns the message about what was created. */
  readonly make: (control: AnyControl, values: FormValues) => Promise<string>;
}

const createForm = (name: keyof Control['create'], fields: readonly Field[]): CreateForm => ({
  title: `New ${name}`,
  fields: [...fields, count],
  async make(control, values) {
    // The control checks the fields.
    const factory = control.create[name] as unknown as (values: FormValues) => Promise<readonly Created[]>;
    const created = await factory(values);
    return `Created ${name} ${created.map(({ id }) => id).join(', ')}.`;
  },
});

/** Forms that create data. */
export const create: readonly CreateForm[] = [
  createForm('campaign', [organization, states('campaigns')]),
  createForm('collab', [organization, states('collabs')]),
  createForm('member', [organization, { name: 'role', label: 'Role', kind: ['member', 'admin'] }]),
  createForm('organization', [{ name: 'name', label: 'Name', value: 'Studio' }]),
  createForm('user', []),
];

interface ActForm {
  readonly title: string;
  readonly label: string;
  readonly fields: readonly Field[];
  readonly perform: (control: AnyControl, values: FormValues) => unknown;
}

/** Numbers that the marketplace counts. */
const metrics = (...names: readonly string[]): Field[] =>
  names.map((name) => {
    const label = name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ');
    return { name, label, kind: 'number', optional: true };
  });

/** Forms for what the marketplace and its creators do. */
export const acts: readonly ActForm[] = [
  {
    title: 'Fund a campaign',
    label: 'Fund',
    fields: [idOf('campaign', 'Campaign'), { name: 'amount', label: 'Amount', kind: 'number' }],
    perform: ({ act }, { campaign = '', amount }) => act.fundCampaign(campaign, Number(amount)),
  },
  {
    title: 'Add results to a campaign',
    label: 'Add',
    fields: [idOf('campaign', 'Campaign'), ...metrics(...fieldsOfKind(resources.campaigns.fields, 'counter'))],
    perform: ({ act }, { campaign = '', ...results }) => act.addCampaignResults(campaign, results),
  },
  {
    title: 'Finish a campaign',
    label: 'Finish',
    fields: [idOf('campaign', 'Campaign')],
    perform: ({ act }, { campaign = '' }) => act.finishCampaign(campaign),
  },
  {
    title: 'Review a collab',
    label: 'Review',
    fields: [idOf('collab', 'Collab'), { name: 'outcome', label: 'Outcome', kind: ['published', 'draft'] }],
    perform: ({ act }, { collab = '', outcome }) =>
      act.reviewCollab(collab, outcome === 'draft' ? 'draft' : 'published'),
  },
  {
    title: 'Add results to a collab',
    label: 'Add',
    fields: [
      idOf('collab', 'Collab'),
      ...metrics(...fieldsOfKind(resources.collabs.fields, 'counter'), 'approved_submissions_count'),
    ],
    perform: ({ act }, { collab = '', ...results }) => act.addCollabResults(collab, results),
  },
  {
    title: 'Verify and sync an account',
    label: 'Sync',
    fields: [
      idOf('account', 'Account'),
      { name: 'status', label: 'Status', kind: resources.socialAccounts.states.names },
      ...metrics(...fieldsOfKind(resources.socialAccounts.fields, 'number')),
    ],
    perform: ({ act }, { account = '', ...snapshot }) => act.syncSocialAccount(account, snapshot),
  },
  {
    title: 'Add a member',
    label: 'Add',
    fields: [
      organization,
      { name: 'user', label: 'User id or e-mail' },
      { name: 'role', label: 'Role', kind: ['member', 'admin'] },
    ],
    perform: ({ act }, { organization = '', user, role }) =>
      act.addMember(organization, { user: String(user), role: role === 'admin' ? 'admin' : 'member' }),
  },
  {
    title: 'Subscription',
    label: 'Set',
    fields: [organization, { name: 'active', label: 'Active', kind: ['yes', 'no'] }],
    perform: ({ act }, { organization = '', active }) => act.setSubscription(organization, active === 'yes'),
  },
];
