/**
 * Holds answers back until every request that has arrived with theirs is worked out, a fraction of a millisecond, and
 * lets them go one right after the other. On a busy server the system call that writes an answer is dear mostly when it
 * wakes the reader up: of answers that leave together only the first one does.
 */
export function together(): () => Promise<void> {
  let leaving: Promise<void> | undefined;
  return () => {
    leaving ??= new Promise((leave) => {
      setImmediate(() => {
        leaving = undefined;
        leave();
      });
    });
    return leaving;
  };
}
