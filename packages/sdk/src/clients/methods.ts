import { hide } from '../is-object.js';

export const methodNames = (object: object): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(object)).filter((name) => name !== 'constructor');

/** Lets methods be taken from their object: `const { list } = mkt.campaigns`. */
export function bindMethods(object: object): void {
  // Hidden: a printed client shows its resources only.
  for (const name of methodNames(object))
    hide(object, name, (object as Record<string, () => unknown>)[name]?.bind(object));
}
