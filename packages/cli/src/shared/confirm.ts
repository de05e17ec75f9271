import type { Context } from '../context/context.js';
import { CliError, confirmationNeeded } from '../errors/cli-error.js';
import { exitCodes } from '../errors/exit-codes.js';
import type { Prompter } from '../io/io.js';

/** No is an answer and not an interruption: the confirmation is what is missing (D83). */
const declined = (): CliError =>
  new CliError({ code: 'cancelled', exitCode: exitCodes.confirmation, message: 'Cancelled; nothing was changed.' });

/** Without a terminal nothing is done: a `y` from a pipe is never read. */
async function someoneToAsk(context: Context, command: string): Promise<Prompter> {
  const prompter = await context.prompter();
  if (prompter !== undefined) return prompter;
  throw confirmationNeeded(
    'Confirmation required, but this is not an interactive terminal. Nothing was done.',
    `${command} --yes`,
  );
}

/** Asks before something that cannot be taken back; `--yes` answers it. `command` is what is to be repeated with it. */
export async function confirm(context: Context, question: string, command: string): Promise<void> {
  if (context.options.yes) return;
  const prompter = await someoneToAsk(context, command);
  if (!(await prompter.confirm(question))) throw declined();
}

/** The same for the severest: the name has to be typed. It is looked up only where somebody is asked. */
export async function confirmByName(
  context: Context,
  lookUp: () => Promise<{ readonly question: string; readonly name: string }>,
  command: string,
): Promise<void> {
  if (context.options.yes) return;
  const prompter = await someoneToAsk(context, command);
  const { question, name } = await lookUp();
  const typed = await prompter.text(`${question} Type its name to confirm`, { hint: name });
  if (typed.trim() !== name) throw declined();
}
