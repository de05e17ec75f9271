import { StoreConfigurationError, StoreUnavailable } from '../store/store.js';

/** Explains why the server did not start. Nothing was changed. `mkt serve` prints the message and exits with 2. */
export class ServeError extends Error {
  override readonly name = 'ServeError';
  readonly exitCode = 2;
}

/** Converts database errors, whose messages are for the operator, to a `ServeError`. */
export async function withServeErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreConfigurationError || error instanceof StoreUnavailable)
      throw new ServeError(error.message, { cause: error });
    throw error;
  }
}
