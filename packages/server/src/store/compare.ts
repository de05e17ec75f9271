/** Null comes first. */
export const compare = (left: unknown, right: unknown): number => {
  if (left === right) return 0;
  if (left === null || right === null) return left === null ? -1 : 1;
  return (left as string | number) < (right as string | number) ? -1 : 1;
};
