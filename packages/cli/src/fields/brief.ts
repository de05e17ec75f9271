import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { FieldKinds } from '@mkt/sdk/contract';
import { fieldsOfKind } from '@mkt/sdk/contract/resources';
import { briefHtml } from '@mkt/server/brief-html';
import type { Context } from '../context/context.js';
import { toType, usageError } from '../errors/cli-error.js';
import { quoted } from '../text/quoted.js';
import { valueAt } from '../text/row.js';
import { sanitizeLine } from '../text/sanitize.js';
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

/** The fields with briefs as HTML. */
export const withHtmlBriefs = <Fields extends object>(kinds: FieldKinds, fields: Fields): Fields => {
  const briefs = fieldsOfKind(kinds, 'richText').map((field) => [field, valueAt(fields, field)] as const);
  const given = briefs.filter((entry): entry is readonly [string, string] => typeof entry[1] === 'string');
  return { ...fields, ...Object.fromEntries(given.map(([field, text]) => [field, briefHtml(text)])) };
};

/**
 * The text of a flag with a brief, or with `@file` and `@-` that of a file or stdin. Asks about a text that is the name
 * of a file. @throws a usage error for such a name without a terminal
 */
export async function briefOf(text: string, flag: string, context: Context): Promise<string> {
  const path = text.trim();
  if (!text.startsWith('@') && LOOKS_LIKE_FILE.test(path) && !isFileName(text, '.'))
    throw usageError(
      `${flag}: there is no file ${sanitizeLine(path)}.`,
      toType(`${flag} ${quoted(`<p>${path}</p>`)}`, 'To send this word as the brief'),
    );
  if (text.startsWith('@') || !isFileName(text, '.')) return textOrFile(text, flag, context.io);
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
  return answer === 'file' ? textOrFile(`@${path}`, flag, context.io) : text;
}
