import type { Context } from '../context.js';
import { CliError, confirmationNeeded } from '../errors/cli-error.js';
import { exitCodes } from '../errors/exit-codes.js';

/** No is an answer and not an interruption: the confirmation is what is missing (D83). */
const declined = (): CliError =>
  new CliError({ code: 'cancelled', exitCode: exitCodes.confirmation, message: 'Cancelled; nothing was changed.' });

/**
 * Asks before something that cannot be taken back; `--yes` answers it. Without a terminal nothing is done: a `y` from
 * a pipe is never read.
 */
export async function confirm(context: Context, question: string, command: string): Promise<void> {
  if (context.options.yes) return;
  const prompter = await context.prompter();
  if (prompter === undefined) {
    throw confirmationNeeded(
      'This needs a confirmation, and there is nobody to ask. Nothing was done.',
      `${command} --yes`,
    );
  }
  if (!(await prompter.confirm(question))) throw declined();
}

/** The same for the severest: the name has to be typed. */
export async function confirmByName(context: Context, question: string, name: string, command: string): Promise<void> {
  if (context.options.yes) return;
  const prompter = await context.prompter();
  if (prompter === undefined) {
    throw confirmationNeeded(
      'This needs a confirmation, and there is nobody to ask. Nothing was done.',
      `${command} --yes`,
    );
  }
  const typed = await prompter.text(`${question} Type its name to confirm`, { hint: name });
  if (typed.trim() !== name) throw declined();
}
