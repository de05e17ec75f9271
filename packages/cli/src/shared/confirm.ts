import type { Context } from '../context/context.js';
import { type CliError, failure } from '../errors/cli-error.js';
import type { Prompter } from '../io/io.js';
import { sanitizeLine } from '../text/sanitize.js';

/** Declining is not an interruption: the confirmation is missing. */
export const declined = (): CliError => failure('cancelled', 'Cancelled; nothing was changed.');

/** @throws an error without a terminal: a `y` from a pipe is never read */
async function requirePrompter(context: Context, command: string): Promise<Prompter> {
  const prompter = await context.prompter();
  if (prompter !== undefined) return prompter;
  throw failure(
    'confirmation_needed',
    'Confirmation required, but this is not an interactive terminal. Nothing was changed.',
    `${command} --yes`,
  );
}

/** Asks before a destructive action; `--yes` skips the prompt. `command` is the command line to suggest with `--yes`. */
export async function confirm(context: Context, question: string, command: string): Promise<void> {
  if (context.options.yes) return;
  const prompter = await requirePrompter(context, command);
  if (!(await prompter.confirm(question))) throw declined();
}

/** The same for the most destructive actions: the user types the name, which is looked up only if there is a prompt. */
export async function confirmByName(
  context: Context,
  lookUp: () => Promise<{ readonly question: string; readonly name: string }>,
  command: string,
): Promise<void> {
  if (context.options.yes) return;
  const prompter = await requirePrompter(context, command);
  const { question, name } = await lookUp();
  const typed = await prompter.text(`${question} Type its name to confirm`, { hint: name });
  if (typed.trim() === name) return;
  throw failure('cancelled', `"${sanitizeLine(typed)}" is not its name. Nothing was changed.`);
}
