export const collabStates = ['draft', 'submitted_for_review', 'published', 'paused'] as const;

export const collabs = {
  name: 'collabs',
  singular: 'collab',
  plural: 'collabs',
  heading: 'Collabs',
  about: 'Briefs that creators can apply to. Members do not see drafts.',
  title: 'name',
  states: {
    field: 'state',
    names: collabStates,
    initial: 'draft',
    marketplace: {
      approve: { from: ['submitted_for_review'], to: 'published', done: 'approved', awaited: true },
      reject: { from: ['submitted_for_review'], to: 'draft', done: 'rejected' },
    },
  },
  exampleIds: { organization_id: 5, id: 1 },
  examples: {
    get: { ids: { id: 3 } },
    create: { fields: { name: 'Lip oil, first looks', require_spark_ads: true } },
    update: { fields: { requires_product_shipment: true } },
    pause: { ids: { id: 6 } },
    unpause: { ids: { id: 4 } },
  },
} as const;
