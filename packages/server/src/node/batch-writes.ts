/**
 * Returns a function that waits until the responses to all requests that have arrived are ready, so that they are written
 * one directly after the other. Without it `memory, one item` takes 9 % more CPU time.
 */
export function batchWrites(): () => Promise<void> {
  let batch: Promise<void> | undefined;
  return () => {
    batch ??= new Promise((resolve) => {
      setImmediate(() => {
        batch = undefined;
        resolve();
      });
    });
    return batch;
  };
}
