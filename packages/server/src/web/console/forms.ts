import { endpoints } from '@mkt/sdk/contract';
import type { ControlProps } from '../pages/control.js';
import { titleOf } from '../pages/values.js';

/** A form of the console: an action and its fields. */
export interface ActionForm {
  readonly action: string;
  readonly title: string;
  readonly label: string;
  readonly fields: readonly ControlProps[];
  readonly danger?: boolean;
}

type Extra = Partial<Pick<ControlProps, 'kind' | 'label' | 'hint' | 'value' | 'choices' | 'required' | 'none'>>;

/** Unique ids for fields with the same name in different forms. */
const field =
  (action: string) =>
  (name: string, extra: Extra = {}): ControlProps => ({
    kind: 'text',
    name: `${action}-${name}`,
    input: name,
    label: titleOf(name),
    hint: '',
    value: '',
    choices: [],
    errors: [],
    required: false,
    ...extra,
  });

type Fields = (make: ReturnType<typeof field>) => readonly ControlProps[];

const form = (action: string, title: string, label: string, fields: Fields = () => [], danger = false): ActionForm => ({
  action,
  title,
  label,
  fields: fields(field(action)),
  danger,
});

const number: Extra = { kind: 'integer', required: true };
const id = (what: string): Extra => ({ required: true, label: `${what} ID` });
const count: Extra = { kind: 'integer' };
const person = 'Id or e-mail address, such as usr_ada.';

const choice = (choices: readonly string[], value = choices[0] ?? ''): Extra => ({
  kind: 'choice',
  choices,
  value,
  required: true,
});

const operations = endpoints.map(({ operation }) => operation);
const effects = ['status', 'delay', 'hang', 'drop', 'truncate', 'malformed', 'wrongType', 'slowBody', 'staleEtag'];

export const faultForm = form('addFault', 'A new fault', 'Add the fault', (make) => [
  make('effect', choice(effects)),
  make('amount', {
    ...count,
    hint: 'The status (503), the delay in milliseconds (1000), the bytes (100), or the bytes per second (1000).',
  }),
  make('operation', { kind: 'choice', choices: operations, none: 'every request' }),
  make('user', { hint: `Only requests of this user. ${person}` }),
  make('times', { ...count, hint: 'How many requests it applies to; unlimited if empty.' }),
  make('after', { ...count, hint: 'How many requests to skip first.' }),
  make('every', { ...count, hint: 'Then it applies to every n-th request.' }),
]);

export const marketplaceForms: readonly ActionForm[] = [
  form('fundCampaign', 'Fund a campaign', 'Fund', (make) => [make('campaign', id('Campaign')), make('amount', number)]),
  form('finishCampaign', 'Finish a campaign', 'Finish', (make) => [make('campaign', id('Campaign'))]),
  form('reviewCollab', 'Review a collab', 'Review', (make) => [
    make('collab', id('Collab')),
    make('outcome', choice(['published', 'draft'])),
  ]),
  form('approveSubmission', 'Approve a submission', 'Approve', (make) => [make('collab', id('Collab'))]),
  form('syncSocialAccount', 'Verify and sync an account', 'Sync', (make) => [
    make('account', id('Account')),
    make('status', choice(['verified', 'failed', 'pending'])),
    make('subscriber_count', count),
    make('view_count', count),
  ]),
  form('addMember', 'Add a member', 'Add', (make) => [
    make('organization', id('Organization')),
    make('user', { hint: `An existing user. ${person}` }),
    make('name', { hint: 'For a new user, with the e-mail address.' }),
    make('email'),
    make('role', choice(['member', 'admin'])),
  ]),
  form('setSubscription', 'Start or end a subscription', 'Set', (make) => [
    make('organization', id('Organization')),
    make('active', { ...choice(['true', 'false']), label: 'Active' }),
  ]),
  form('createToken', 'Create a token for any user', 'Create', (make) => [
    make('user', { hint: person, required: true }),
    make('permission', choice(['read', 'write'])),
  ]),
];

export const dataForms: readonly ActionForm[] = [
  form('reset', 'Reset', 'Reset everything', undefined, true),
  form('seed', 'Load a seed', 'Replace the data', (make) => [make('seed', choice(['demo', 'empty', 'large']))], true),
  form('restore', 'Restore a snapshot', 'Restore', (make) => [make('snapshot', { kind: 'file' })], true),
];

export const clockForms: readonly ActionForm[] = [
  form('advanceClock', 'Advance', 'Advance', (make) => [make('days', count), make('hours', count)]),
  form('setClock', 'Set', 'Set', (make) => [make('moment', { required: true, hint: 'Such as 2026-06-01T00:00:00Z.' })]),
];
