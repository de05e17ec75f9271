import { CliError, interrupted } from '../../errors/cli-error.js';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.js';
import type { Shown } from './screen.js';
import type { Stage } from './stage.js';
import type { Step } from './tour.js';

interface Result {
  readonly shown: Shown;
  /** Why the story does not go on, where a command ended otherwise than it should. */
  readonly failure: CliError | undefined;
}

const failed = (line: string, code: ExitCode, due: number): CliError =>
  new CliError({
    code: 'demo_failed',
    // A refusal that did not come is a failure too, and must not end with 0.
    exitCode: code === exitCodes.ok ? exitCodes.unexpected : code,
    message: `The tour stops here: "${line}" ended with exit code ${code}, and ${due} was due.`,
    hints: ['This is a fault of mkt: please report it, with what is printed above'],
  });

/** Runs the commands of a step in turn, until one ends otherwise than the story says. */
export async function playStep(
  stage: Stage,
  { commands }: Step,
  oneScreen: boolean,
  signal: AbortSignal,
): Promise<Result> {
  const shown: { line: string; text: string }[] = [];
  for (const { line: whole, onOneScreen = whole, exit = exitCodes.ok } of commands) {
    const line = oneScreen ? onOneScreen : whole;
    const { code, text } = await stage.play(line);
    if (signal.aborted) throw interrupted();
    shown.push({ line, text });
    if (code !== exit) return { shown, failure: failed(line, code, exit) };
  }
  return { shown, failure: undefined };
}
