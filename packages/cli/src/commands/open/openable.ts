/** A page of the service. */
interface Page {
  /** As the API has it, without `.json` (api.md, General rule 1). */
  readonly path: string;
  /** Whether the API shows one of them too: what it does not show has no page. */
  readonly ofOne: boolean;
}

/** What has a page, by noun. */
export const openable: Readonly<Record<string, Page>> = {
  organizations: { path: '/organizations', ofOne: true },
  campaigns: { path: '/organizations/:organization/campaigns', ofOne: true },
  collabs: { path: '/organizations/:organization/collabs', ofOne: true },
  members: { path: '/organizations/:organization/members', ofOne: false },
  'social-accounts': { path: '/me/social_accounts', ofOne: true },
  tokens: { path: '/me/access_tokens', ofOne: false },
  address: { path: '/me/address', ofOne: false },
};
