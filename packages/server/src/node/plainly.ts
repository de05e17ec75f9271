import { StoreConfigurationError, StoreUnavailable } from '../store/store.js';
import { ServeError } from './errors.js';

/** Runs what needs a database; what is wrong with the database becomes a sentence for the person who named it. */
export async function plainly<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StoreConfigurationError || error instanceof StoreUnavailable)
      throw new ServeError(error.message, { cause: error });
    throw error;
  }
}
