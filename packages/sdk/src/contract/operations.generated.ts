// Generated from the endpoints of this folder by `npm run generate`. Do not edit.

/** Each resource: whether it belongs to an organization, and what its operations do. */
export const operations = {
  accessTokens: { isScoped: false, operations: { list: 'list', create: 'write', delete: 'write' } },
  organizations: {
    isScoped: false,
    operations: { list: 'list', get: 'read', create: 'write', update: 'write', delete: 'write' },
  },
  members: { isScoped: true, operations: { list: 'list', update: 'write', remove: 'write' } },
  campaigns: {
    isScoped: true,
    operations: {
      list: 'list',
      get: 'read',
      create: 'write',
      update: 'write',
      delete: 'write',
      publish: 'write',
      pause: 'write',
      resume: 'write',
    },
  },
  collabs: {
    isScoped: true,
    operations: {
      list: 'list',
      get: 'read',
      create: 'write',
      update: 'write',
      delete: 'write',
      submit: 'write',
      pause: 'write',
      unpause: 'write',
    },
  },
  socialAccounts: { isScoped: false, operations: { list: 'list', get: 'read', create: 'write', delete: 'write' } },
  address: { isScoped: false, operations: { get: 'read', update: 'write', delete: 'write' } },
} as const;
