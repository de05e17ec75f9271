import { commands } from './index.js';

/** The noun that a word means as an argument: `orgs` and `social` as they do as commands. */
export const nounOf = (word: string): string =>
  commands.find(({ aliases }) => aliases?.includes(word) === true)?.name ?? word;
