import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FieldKinds } from '@mkt/sdk/contract';
import { fieldsOfKind } from '@mkt/sdk/contract/resources';
import { type BriefFormat, briefFormatOfFile, briefHtml, leftOut } from '@mkt/server/brief-html';
import { briefFormats, formatField } from '../api/field-flags.js';
import type { Resource } from '../api/labels.js';
import type { Context } from '../context/context.js';
import { toType, usageError } from '../errors/cli-error.js';
import { quoted } from '../text/quoted.js';
import { type JsonObject, type Row, sanitizeLine, valueAt } from '../text/values.js';
import { textOrFile } from './read-input.js';

/** Whether a brief is the name of a file in one of the folders: its writer probably wanted the text in the file. */
export const isFileName = (text: unknown, ...folders: readonly string[]): boolean =>
  typeof text === 'string' &&
  /^[^\n\r\0]{1,1024}$/.test(text.trim()) &&
  folders.some((folder) => {
    const path = resolve(folder, text.trim().replace(/^@/, ''));
    // Not for texts that are too long for a name.
    return existsSync(path) && statSync(path).isFile();
  });

/** One word that ends as files with texts do. */
const LOOKS_LIKE_FILE = /^[^\s<>]+\.(?:md|markdown|html?|txt)$/i;

/** Why a value is not the format of a brief: the rest of a sentence that begins with the field. */
export const formatProblem = (format: unknown): string | undefined =>
  briefFormats.some((each) => each === format) ? undefined : `must be one of ${briefFormats.join(', ')}.`;

interface Reports {
  /** The rest of a sentence that begins with the field. */
  readonly problem: (field: string, message: string) => void;
  readonly leftOut: (field: string, message: string) => void;
}

/** The fields with briefs as HTML. What `brief_format` says of a brief decides, and is not a field of the service. */
export function withHtmlBriefs<Fields extends object>(kinds: FieldKinds, fields: Fields, reports: Reports): Fields {
  const converted: Record<string, unknown> = { ...(fields as JsonObject) };
  for (const field of fieldsOfKind(kinds, 'richText')) {
    const name = formatField(field);
    const { [name]: format, [field]: text } = converted;
    delete converted[name];
    const problem = format == null ? undefined : formatProblem(format);
    if (problem !== undefined) reports.problem(name, problem);
    if (problem !== undefined || typeof text !== 'string') continue;
    const { html, unused } = briefHtml(text, (format as BriefFormat | null) ?? undefined);
    converted[field] = html;
    if (unused !== undefined) reports.leftOut(field, `the ${unused} was left out.`);
  }
  return converted as Fields;
}

/** What the service left out of the briefs that were sent, by field: `2 links`. */
export const leftOutOf = ({ fields }: Resource, sent: Row, stored: Row | undefined): [field: string, parts: string][] =>
  fieldsOfKind(fields, 'richText').flatMap((field): [string, string][] => {
    const [before, after] = [valueAt(sent, field), valueAt(stored, field)];
    if (typeof before !== 'string' || after === undefined) return [];
    const parts = [...leftOut(before, typeof after === 'string' ? after : '').values()];
    return parts.length === 0 ? [] : [[field, parts.join(', ')]];
  });

/**
 * The text of a flag with a brief, or with `@file` and `@-` that of a file or stdin, and the format that the name of the
 * file shows. Asks about a text that is the name of a file. @throws a usage error for such a name without a terminal
 */
export async function briefOf(text: string, flag: string, context: Context) {
  const path = text.trim();
  if (!text.startsWith('@') && LOOKS_LIKE_FILE.test(path) && !isFileName(text, '.'))
    throw usageError(
      `${flag}: there is no file ${sanitizeLine(path)}.`,
      toType(`${flag} ${quoted(`<p>${path}</p>`)}`, 'To send this word as the brief'),
    );
  const fromFile = async (reference: string) => ({
    text: await textOrFile(reference, flag, context.io),
    format: reference.startsWith('@') ? briefFormatOfFile(reference) : undefined,
  });
  if (text.startsWith('@') || !isFileName(text, '.')) return fromFile(text);
  const name = sanitizeLine(path);
  const prompter = await context.prompter();
  if (prompter === undefined) {
    throw usageError(
      `${flag}: ${name} is a file, not the text of a brief.`,
      toType(`${flag} ${quoted(`@${path}`)}`, 'To send the text in the file'),
      toType(`${flag} ${quoted(`<p>${path}</p>`)}`, 'To send the name itself'),
    );
  }
  const answer = await prompter.select(`${flag}: ${name} is a file. What is the brief?`, [
    { value: 'file', label: 'The text in the file' },
    { value: 'words', label: `Only its name, "${name}"` },
  ]);
  return answer === 'file' ? fromFile(`@${path}`) : { text, format: undefined };
}
