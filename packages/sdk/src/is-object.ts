/** Sets a property that neither a printed object nor a copy of it has. */
export const hide = (object: object, name: PropertyKey, value: unknown): object =>
  Object.defineProperty(object, name, { value, writable: true, configurable: true });

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
