export const campaignStates = ['draft', 'active', 'paused', 'finished'] as const;

export const campaigns = {
  name: 'campaigns',
  singular: 'campaign',
  plural: 'campaigns',
  heading: 'Campaigns',
  about: 'Budgeted creator programs with payout rules. Members do not see drafts.',
  title: 'name',
  states: {
    field: 'status',
    names: campaignStates,
    initial: 'draft',
    marketplace: { finish: { from: ['active', 'paused'], to: 'finished', done: 'finished' } },
  },
  // D32
  defaults: {
    countries: ['US'],
    currency: 'usd',
    cpm_amount: 500,
    min_payout_amount: 1000,
    max_payout_amount: 10_000,
    base_reward_amount: 0,
    content_type: 'ugc',
    category: 'product',
    platform_ids: ['youtube', 'tiktok'],
  },
  money: {
    currency: 'currency',
    fields: [
      'cpm_amount',
      'min_payout_amount',
      'max_payout_amount',
      'base_reward_amount',
      'total_budget_amount',
      'used_amount',
      'unused_amount',
    ],
    // D33
    ranges: [{ min: 'min_payout_amount', max: 'max_payout_amount' }],
  },
  // api.md, Campaigns rule 3; which fields are financial: D35.
  locked: {
    since: 'published_at',
    fields: ['cpm_amount', 'min_payout_amount', 'max_payout_amount', 'base_reward_amount', 'currency'],
  },
} as const;
