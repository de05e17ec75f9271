// One chunk for all nouns: they share nearly everything, and each small chunk of its own costs every command half a millisecond.
export * as address from './address.js';
export * as campaigns from './campaigns.js';
export * as collabs from './collabs.js';
export * as members from './members.js';
export * as organizations from './organizations.js';
export * as socialAccounts from './social-accounts.js';
export * as tokens from './tokens.js';
