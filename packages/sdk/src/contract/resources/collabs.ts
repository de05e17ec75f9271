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
  // D41
  defaults: { name: 'Untitled collab', require_spark_ads: false, requires_product_shipment: false },
} as const;
