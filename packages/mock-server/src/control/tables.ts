import type { ResourceName } from '@mkt/sdk/contract';
import type { TableName } from '@mkt/server';

export const tables = {
  accessTokens: 'access_tokens',
  organizations: 'organizations',
  members: 'memberships',
  campaigns: 'campaigns',
  collabs: 'collabs',
  socialAccounts: 'social_accounts',
  address: 'addresses',
} as const satisfies Readonly<Record<ResourceName, TableName>>;
