import type { FieldKinds } from '@mkt/sdk/contract';
import { fieldsOfKind, hasKind } from '@mkt/sdk/contract/resources';
import type { FieldsOf, Invocation, SchemaName } from '../context/command.js';
import type { Context } from '../context/context.js';
import type { Flag } from '../context/flags.js';
import { usageError } from '../errors/cli-error.js';
import { flagsOf } from './flags-of.js';
import { readImage } from './read-input.js';

/** The fields that a flag sets: those of a brief are its text, and the format that the name of its file shows. */
async function fieldsOfFlag(flag: Flag, field: string, isRichText: boolean, value: unknown, context: Context) {
  if (flag.kind === 'path') return { [field]: await readImage(String(value), `--${flag.name}`) };
  // The API removes an image if its purge field is 1.
  if (flag.kind === 'switch') return { [field]: '1' };
  if (typeof value !== 'string' || !isRichText) return { [field]: value };
  const [{ briefOf }, { formatField }] = await Promise.all([import('./brief.js'), import('../api/field-flags.js')]);
  const { text, format } = await briefOf(value, `--${flag.name}`, context);
  return { [field]: text, [formatField(field)]: format };
}

/** `Name of the collab?` from the description of the field, with the default of one that may be left empty. */
function questionOf({ description, standard }: Flag, mayBeEmpty: boolean): string {
  const question = `${description.replace(/[:.;,].*$/, '')}?`;
  return mayBeEmpty && standard !== undefined ? `${question} (${standard})` : question;
}

/** Prompts for missing values; without a terminal, names the missing flags in an error. */
async function ask(
  missing: readonly Flag[],
  optional: string | undefined,
  context: Context,
): Promise<Record<string, unknown>> {
  const prompter = await context.prompter();
  if (prompter === undefined) {
    const names = missing.map(({ name }) => `--${name}`);
    throw usageError(
      `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} required.`,
      [context.commandWith({}), ...missing.map(({ name, value = 'TEXT' }) => `--${name} ${value}`)].join(' '),
    );
  }
  const values: Record<string, unknown> = {};
  for (const flag of missing) {
    const { field = '', description, choices, name, required } = flag;
    const mayBeEmpty = field === optional && required !== true;
    const value =
      choices === undefined
        ? await prompter.text(questionOf(flag, mayBeEmpty), {
            check: (text) => (text.trim() === '' && !mayBeEmpty ? 'Enter a value.' : undefined),
          })
        : await prompter.select(
            // Descriptions are about the choices, so the name of the flag comes first.
            `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${description} (--${name})`,
            choices.map((choice) => ({ value: choice, label: choice })),
          );
    if (value.trim() !== '') values[field] = value;
  }
  return values;
}

/** The fields with briefs as HTML. */
async function withHtml(context: Context, kinds: FieldKinds, fields: object): Promise<object> {
  const { withHtmlBriefs } = await import('./brief.js');
  return withHtmlBriefs(kinds, fields, {
    problem: (field, message) => {
      throw usageError((flag) => `${flag(field)} ${message}`);
    },
    leftOut: (_field, message) => context.warn(message),
  });
}

/** Fields to prompt for besides those that the API requires: with an empty answer, an optional one gets its default. */
interface Prompted {
  readonly required?: readonly string[];
  readonly optional?: string | undefined;
}

/**
 * The fields of a creation or a change: from `--file`, overridden by flags. Prompts for missing required fields on a
 * terminal; otherwise they are a usage error.
 */
export async function collectFields<Schema extends SchemaName>(
  context: Context,
  invocation: Invocation<readonly Flag[], Schema>,
  { required = [], optional }: Prompted = {},
): Promise<FieldsOf<Schema>> {
  const { flags, command } = invocation;
  const { file } = flags;
  const fields: Record<string, unknown> = {};
  if (typeof file === 'string' && command.fields !== undefined) {
    const { readFields } = await import('./read-fields.js');
    Object.assign(fields, await readFields(file, command.fields, command, context.io));
  }
  const fieldFlags = (await flagsOf(command)).filter(({ field }) => field !== undefined);
  const { fieldKinds, formatField } = await import('../api/field-flags.js');
  const kinds = command.fields ? fieldKinds(command.fields.schema) : {};
  for (const flag of fieldFlags) {
    const value = flags[flag.name];
    if (value === undefined || flag.field === undefined) continue;
    const isRichText = hasKind(kinds, flag.field, 'richText');
    Object.assign(fields, await fieldsOfFlag(flag, flag.field, isRichText, value, context));
  }
  const missing = fieldFlags.filter(
    (flag) =>
      flag.field !== undefined &&
      (flag.required === true || [...required, optional].includes(flag.field)) &&
      fields[flag.field] === undefined,
  );
  const complete = missing.length === 0 ? fields : { ...fields, ...(await ask(missing, optional, context)) };
  const { normalizedFields } = await import('./input-schema.js');
  const normalized = command.fields ? normalizedFields(command.fields.schema, complete) : complete;
  const briefs = fieldsOfKind(kinds, 'richText');
  const bare = briefs.find((field) => formatField(field) in normalized && !(field in normalized));
  if (bare !== undefined) throw usageError((flag) => `${flag(`${bare}-format`)} needs ${flag(bare)}.`);
  const sent = briefs.some((field) => field in normalized) ? await withHtml(context, kinds, normalized) : normalized;
  // Flags are typed by the schema and required fields are there; values from a file are checked by the service.
  return sent as FieldsOf<Schema>;
}
