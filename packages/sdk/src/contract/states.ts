/** The states of each resource that has some: its schema, its actions and its description need them. */
export const campaignStates = ['draft', 'active', 'paused', 'finished'] as const;
export const collabStates = ['draft', 'submitted_for_review', 'published', 'paused'] as const;
export const socialAccountStates = ['pending', 'verified', 'failed'] as const;

/** The platforms that the document names. A service may know more. */
export const platforms = ['tiktok', 'youtube', 'instagram', 'twitter'] as const;

/** Sets of values that the document lists completely. */
export const roles = ['member', 'admin'] as const;
export const privacySettings = ['public', 'private', 'restricted'] as const;
