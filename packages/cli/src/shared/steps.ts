import type { EachStep } from './each.js';

/** A web action of the contract (D37 to D40). */
export const action = (verb: string, done: string): EachStep => ({
  verb,
  done,
  severe: false,
  keeps: true,
  work: async (verbs, id) => {
    const act = verbs.actions?.[verb];
    if (act === undefined) throw new Error(`There is no action ${verb}.`);
    return act(id);
  },
});

/** Deleting, or what this resource calls it. */
export const removal = (verb: string, done: string): EachStep => ({
  verb,
  done,
  severe: true,
  keeps: false,
  work: async (verbs, id) => {
    await verbs.delete?.(id);
    return undefined;
  },
});
