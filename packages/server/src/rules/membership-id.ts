/** One membership for a person in an organization, so the pair names it. Opaque to clients (D47). */
export const membershipId = (organizationId: number, userId: string): string =>
  `mem_${organizationId}_${userId.replace(/^usr_/, '')}`;
