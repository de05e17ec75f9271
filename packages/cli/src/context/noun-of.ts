/** Short names of nouns, as commands and as arguments. */
export const shortNames: Readonly<Record<'organizations' | 'social-accounts', readonly string[]>> = {
  organizations: ['orgs'],
  'social-accounts': ['social'],
};

/** The noun that a word means as an argument: `orgs` means what it means as a command. */
export const nounOf = (word: string): string =>
  Object.entries(shortNames).find(([, names]) => names.includes(word))?.[0] ?? word;
