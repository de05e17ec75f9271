/** The entries of `fields` that were sent: a field that is absent changes nothing, null is a value. */
export function sent<Fields extends object>(fields: Fields): { [K in keyof Fields]: Exclude<Fields[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

const same = (left: unknown, right: unknown): boolean =>
  left === right || (Array.isArray(left) && JSON.stringify(left) === JSON.stringify(right));

/** The changes that make a difference to `row`. */
export function differing<Fields extends object>(row: object, changes: Fields): Partial<Fields> {
  const before = row as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(changes).filter(([name, value]) => !same(before[name], value)),
  ) as Partial<Fields>;
}

/** `changes` with the moment of change, where there is one: sending what is there already changes nothing. */
export function stamped<Changes extends object>(
  row: object,
  changes: Changes,
  now: string,
): Partial<Changes> & { updated_at?: string } {
  const difference = differing(row, changes);
  return Object.keys(difference).length > 0 ? { ...difference, updated_at: now } : difference;
}
