export const socialAccountStates = ['pending', 'verified', 'failed'] as const;

export const socialAccounts = {
  name: 'socialAccounts',
  singular: 'social account',
  plural: 'social accounts',
  heading: 'Social accounts',
  about: "The caller's own accounts on other platforms.",
  title: 'account_url',
  states: { field: 'status', names: socialAccountStates, initial: 'pending', marketplace: {} },
} as const;
