/** What the document says in words that the contract does not hold: resources and what is done to them. */

/** By resource: the heading and introduction of its operations, and the noun of one of them. */
export const resources: Readonly<
  Record<string, { readonly tag: string; readonly one: string; readonly about: string }>
> = {
  accessTokens: {
    tag: 'Access tokens',
    one: 'access token',
    about: "The caller's own tokens. A token works in every organization of its owner. Its secret is shown once.",
  },
  organizations: {
    tag: 'Organizations',
    one: 'organization',
    about: 'Brands. Who is not a member of one gets 404 for it and for all that it holds.',
  },
  members: { tag: 'Members', one: 'membership', about: 'The people of an organization and their roles, admins first.' },
  campaigns: {
    tag: 'Campaigns',
    one: 'campaign',
    about: 'Budgeted creator programs with payout rules. Members do not see drafts.',
  },
  collabs: {
    tag: 'Collabs',
    one: 'collab',
    about: 'Briefs that creators can apply to. Members do not see drafts.',
  },
  socialAccounts: {
    tag: 'Social accounts',
    one: 'social account',
    about: "The caller's own accounts on other platforms.",
  },
  address: { tag: 'Address', one: 'address', about: "The caller's one shipping address." },
};

/** By verb of the operation, with `%` for the noun. */
export const verbs: Readonly<Record<string, string>> = {
  list: 'List %s',
  get: 'Show %',
  create: 'Create %',
  update: 'Change %',
  delete: 'Delete %',
  remove: 'Remove %',
  publish: 'Publish %',
  pause: 'Pause %',
  resume: 'Resume %',
  submit: 'Submit % for review',
  unpause: 'Unpause %',
};

/** What an operation's table row alone does not tell. */
export const remarks: Readonly<Record<string, string>> = {
  'accessTokens.list': 'Without their secrets, and without the revoked ones.',
  'accessTokens.create': 'The secret, `token`, is in this answer alone.',
  'accessTokens.delete': 'Revokes the token, also when it is the one in use. Requests with it get 401 from then on.',
  'organizations.create': 'The caller becomes its owner. A private organization needs a logo, sent as multipart.',
  'organizations.update': 'A multipart request carries a new logo. `purge_logo` removes it.',
  'organizations.delete': 'Deletes all that it holds too. An organization with an active subscription stays: 422.',
  'members.update':
    'Only the role changes. The owner (403) and the last admin (422) cannot be demoted. The same role again is fine.',
  'members.remove':
    'Admins remove members; anyone may remove themself, which leaves the organization. The owner (403), the last admin ' +
    'and the only member (422) stay.',
  'campaigns.create': 'Starts as a draft. What is left out is filled from defaults.',
  'campaigns.update': 'Any subset. Once published, financial fields with a changed value are refused: 422.',
  'campaigns.delete': 'Only a draft without fundings: otherwise 422.',
  'collabs.create':
    'Starts as a draft. The body is optional: what is left out comes from the page of `website` in the query, then from ' +
    "the organization's defaults.",
  'collabs.update': 'Any subset. `purge_banner_image` removes the banner.',
  'collabs.delete': 'A collab with approved submissions stays: 422.',
  'socialAccounts.create': 'Starts as pending. An account that anybody has connected already is refused: 422.',
  'address.get': '404 when none is set yet.',
  'address.update':
    'Creates it when there is none; then the street, city, state, postal code and country are required.',
  'address.delete': 'It can be created again later. 404 when none is set.',
};

export const action =
  'A web action: it always redirects to the page of the resource, also when its state does not permit the action. Show ' +
  'the resource to see what came of it.';

export const introduction = [
  'Connects brands with content creators: access tokens, organizations, members, campaigns, collabs, and the social',
  'accounts and the address of the user.',
  '',
  'Send `Accept: application/json` with every request: it alone decides that the answer is JSON. Without it the same',
  'address answers with a page.',
  '',
  'HEAD is answered wherever GET is. Unknown fields in a body are ignored. Timestamps are ISO 8601 in UTC. Amounts are',
  'integers without a unit. Lists have 20 items a page; `Total-Count` and `Total-Pages` tell how many there are.',
].join('\n');
