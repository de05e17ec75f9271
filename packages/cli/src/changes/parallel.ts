import pMap from 'p-map';
import type { Context } from '../context/context.js';
import { type CliError, type ErrorCode, type ExitCode, exitCodes } from '../errors/cli-error.js';

/** Runs `work` for all items, by default four at a time, with a counter on stderr if there are several. */
export const inParallel = <Item, Result>(
  context: Context,
  label: string,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  concurrency = 4,
): Promise<Result[]> =>
  context.withProgress(label, (progress) => {
    let finished = 0;
    const counted = async (item: Item): Promise<Result> => {
      const result = await work(item);
      finished += 1;
      if (items.length > 1) progress.update(finished, items.length);
      return result;
    };
    return pMap(items, counted, { concurrency });
  });

/** The code of a run with failures: interrupted, partly done, or that of the first failure. */
export function failureCode(errors: readonly CliError[], isPartial: boolean): { code: ErrorCode; exitCode: ExitCode } {
  if (errors.some(({ exitCode }) => exitCode === exitCodes.interrupted))
    return { code: 'interrupted', exitCode: exitCodes.interrupted };
  if (isPartial) return { code: 'partly_done', exitCode: exitCodes.partial };
  const [first] = errors;
  return { code: first?.details.code ?? 'failed', exitCode: first?.exitCode ?? exitCodes.unexpected };
}
