import { inspect } from 'node:util';
import { MarketplaceError } from '@mkt/sdk';

/** What a call came to. */
export type Outcome<Value> =
  | { readonly value: Value; readonly error?: undefined }
  | { readonly error: MarketplaceError; readonly value?: undefined };

/** How much later than its total time a call may end: eight programs may share this machine. */
const slack = 10_000;

/** What neither an error nor anything that hangs from it may hold. */
export const secretPattern = /mkt_demo_\w+/;

/**
 * What a call comes to. Fails for what no call may come to, whatever the network does: an end long after its total time,
 * an error that is not the SDK's own, one that contains the token.
 */
export async function outcomeOf<Value>(call: PromiseLike<Value>, totalTimeout: number): Promise<Outcome<Value>> {
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new Error(`Hung: no end after ${totalTimeout + slack} ms.`)), totalTimeout + slack);
  });
  const settled = Promise.resolve(call).then(
    (value): Outcome<Value> => ({ value }),
    (error: unknown): Outcome<Value> => {
      if (!(error instanceof MarketplaceError)) throw new Error(`An untyped error: ${inspect(error)}`);
      const shown = inspect(error, { depth: null, showHidden: true, maxStringLength: null });
      if (secretPattern.test(shown)) throw new Error('The error holds the token.');
      return { error };
    },
  );
  try {
    return await Promise.race([settled, hung]);
  } finally {
    clearTimeout(timer);
  }
}
