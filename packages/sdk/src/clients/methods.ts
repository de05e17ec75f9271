export const methodNames = (object: object): string[] =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(object)).filter((name) => name !== 'constructor');

/** Lets methods be taken from their object: `const { list } = mkt.campaigns`. */
export function bindMethods(object: object): void {
  for (const name of methodNames(object)) {
    const value = (object as Record<string, () => unknown>)[name]?.bind(object);
    // Not enumerable: a printed client shows its resources only.
    Object.defineProperty(object, name, { value, writable: true, configurable: true });
  }
}
