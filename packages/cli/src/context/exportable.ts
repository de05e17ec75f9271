/** What can be exported: every noun with a list. */
export const exportable = ['campaigns', 'collabs', 'members', 'organizations', 'social-accounts', 'tokens'] as const;
