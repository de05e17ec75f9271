import type { Context } from '../context/context.js';
import { type CliError, failure, toType } from '../errors/cli-error.js';
import type { Prompter } from '../io/io.js';
import { sanitizeLine } from '../text/values.js';

/** Declining is not an interruption: the confirmation is missing. */
export const declined = (): CliError => failure('cancelled', 'Cancelled; nothing was changed.');

/** @throws an error without a terminal: a `y` from a pipe is never read */
async function requirePrompter(context: Context): Promise<Prompter> {
  const prompter = await context.prompter();
  if (prompter !== undefined) return prompter;
  throw failure(
    'confirmation_needed',
    'Confirmation required, but this is not an interactive terminal. Nothing was changed.',
    toType(context.commandWith({ 'dry-run': true })),
  );
}

/**
 * Asks before a change that a person has to approve; `--yes` skips the prompt. Without a terminal, the dry run is suggested.
 * @param question without its question mark
 */
export async function confirm(context: Context, question: string, where = context.onService): Promise<void> {
  if (context.options.yes) return;
  const prompter = await requirePrompter(context);
  if (!(await prompter.confirm(`${question}${where}?`))) throw declined();
}

/** The same for the most destructive actions: the user types the name, which is looked up only if there is a prompt. */
export async function confirmByName(
  context: Context,
  lookUp: () => Promise<{ readonly question: string; readonly name: string }>,
): Promise<void> {
  if (context.options.yes) return;
  const prompter = await requirePrompter(context);
  const { question, name } = await lookUp();
  const typed = await prompter.text(`${question}${context.onService}? Type its name to confirm`, { hint: name });
  if (typed.trim() === name) return;
  throw failure('cancelled', `"${sanitizeLine(typed)}" is not its name. Nothing was changed.`);
}
