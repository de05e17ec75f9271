import type { Context } from '../../context/context.js';
import type { Subject } from './subject.js';

/** Runs a call, and explains its errors, whose explanations are loaded only then. */
export async function withErrorContext<Result>(
  context: Context,
  subject: Subject,
  work: () => PromiseLike<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const { explain } = await import('./explain.js');
    throw await explain(error, subject, context);
  }
}
