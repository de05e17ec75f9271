import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PreconditionFailedError } from '@mkt/sdk';
import { codesOnly } from '@mkt/sdk/contract';
import { fieldsOfKind } from '@mkt/sdk/contract/resources';
import { capital, explain } from '../api/errors/explain.js';
import { fieldNames, formatField } from '../api/field-flags.js';
import type { DraftResource } from '../api/labels.js';
import { operationsOf } from '../api/operations.js';
import { textOf } from '../config/text-of.js';
import type { Invocation } from '../context/command.js';
import type { Context } from '../context/context.js';
import { CliError, failure, messageText, toType, usageError } from '../errors/cli-error.js';
import { withHtmlBriefs } from '../fields/brief.js';
import { inputSchema } from '../fields/input-schema.js';
import { asField, type Problem, problemsError, unknownKey, valueMessage } from '../fields/problems.js';
import { readYaml } from '../fields/read-yaml.js';
import type { Io } from '../io/io.js';
import { connect, findId, labelOf, namedOrPicked } from '../lists/connection.js';
import { changedView, type DraftListing, detailView } from '../lists/presenter.js';
import { quoted } from '../text/quoted.js';
import {
  cellText,
  isObject,
  isSameJson,
  type JsonObject,
  type Row,
  sanitizeLine,
  textAt,
  valueAt,
} from '../text/values.js';
import { yamlText } from '../text/yaml.js';
import { declined } from './confirm.js';

/** Editors that most computers have, the easiest first. */
const FALLBACKS = ['nano', 'vi', 'notepad'];

const programsNamed = (name: string, { env, platform }: Io): string[] => {
  const isWindows = platform === 'win32';
  const folders = (env.PATH ?? env.Path ?? '').split(isWindows ? ';' : ':').filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, isWindows ? `${name}.exe` : name)).filter((path) => existsSync(path));
};

/** The editor of the user, a command that may contain arguments. @throws a usage error without one or a terminal */
function editorOf({ io, interactive }: Context, instead: string): string {
  if (!interactive) throw usageError('An editor needs an interactive terminal.', instead);
  const { VISUAL, EDITOR } = io.env;
  const editor = [VISUAL, EDITOR].find((text) => text?.trim());
  if (editor !== undefined) return editor;
  const [found] = FALLBACKS.flatMap((name) => programsNamed(name, io));
  if (found !== undefined) return io.platform === 'win32' ? `"${found}"` : quoted(found);
  throw usageError('No editor was found: VISUAL and EDITOR are empty.', toType('export EDITOR=nano'), instead);
}

async function editText({ io }: Context, editor: string, path: string): Promise<string> {
  // With a trap, the shell outlives a Ctrl-C that is for the editor.
  const command = io.platform === 'win32' ? `${editor} "${path}"` : `trap : INT; ${editor} '${path}'`;
  const code = await io.lendTerminal(
    () =>
      new Promise<number | null>((resolve) => {
        // On the terminal of stderr, because stdout may be a pipe.
        spawn(command, { shell: true, stdio: ['inherit', 2, 2] }).on('close', resolve);
      }),
  );
  if (code === 0) return textOf(readFileSync(path), path);
  // The code of a shell that does not find the command.
  const isMissing = code === 127;
  throw failure(
    'editor',
    `The editor "${editor}" ${isMissing ? 'was not found' : `ended with code ${code}`}. Nothing was changed.`,
    ...(isMissing ? [toType('export EDITOR=COMMAND', 'Choose one that is installed')] : []),
  );
}

/** The field whose text is below the others. */
const briefField = ({ fields }: DraftResource): string => fieldsOfKind(fields, 'richText')[0] ?? '';

/** The fields above the brief; not those that only remove an image. */
const editableFields = (resource: DraftResource): string[] => {
  const shown = fieldNames(resource.schema);
  return fieldNames(resource.changes).filter((field) => shown.includes(field) && field !== briefField(resource));
};

const BLOCK_END = /(<\/(?:p|div|h[1-6]|ul|ol|li|blockquote)>)(?=<)/g;

/** The brief with a line for each paragraph, as it is edited. */
const briefLines = (resource: DraftResource, row: Row): string =>
  textAt(row, briefField(resource)).replace(BLOCK_END, '$1\n').trim();

const comment = (text: string): string => text.trimEnd().replaceAll(/^/gm, '# ');

/** The file that is edited: the fields as YAML between two lines of dashes, the brief below them. */
function fileText(row: Row, fields: readonly string[], resource: DraftResource): string {
  const { locked } = resource;
  const since = locked === undefined ? null : (valueAt(row, locked.since) ?? null);
  const isLocked = (field: string): boolean => since !== null && locked?.fields.includes(field) === true;
  const yaml = (test: (field: string) => boolean): string => {
    const shown = fields.filter(test).map((field) => [field, valueAt(row, field) ?? null] as const);
    return shown.length === 0 ? '' : yamlText(Object.fromEntries(shown)).replaceAll(/: null$/gm, ':');
  };
  const fixed = yaml(isLocked);
  const parts = [
    '---',
    comment(`${capital(labelOf(resource, row))}
Save and close this file to send your changes; empty it to change nothing.
The text below the fields is the brief, as HTML or Markdown. To say which: brief_format: markdown`),
    yaml((field) => !isLocked(field)).trimEnd(),
    ...(fixed === ''
      ? []
      : [
          comment(
            `These cannot change since it was ${locked?.since.replace(/_at$/, '')} (${cellText(since).slice(0, 10)}):\n${fixed}`,
          ),
        ]),
    '---',
    briefLines(resource, row),
  ];
  return `${parts.join('\n')}\n`;
}

/** The fields and the brief of an edited file, and the lines they are on. @throws an error with all problems of its YAML */
function readFile(text: string, name: string, resource: DraftResource) {
  const invalid = (problems: readonly Problem[]): CliError =>
    problemsError(name, problems, { code: 'usage', message: 'Nothing was changed.' });
  const [before = '', yaml, ...rest] = text.split(/(?<=^|\n)---[ \t]*\r?(?=\n|$)/);
  if (yaml === undefined || rest.length === 0 || before.trim() !== '')
    throw invalid([{ line: 1, message: 'the fields must be between two lines of three dashes (---).' }]);
  const { value: read, positionOf, sourceOf } = readYaml(before + yaml, invalid);
  const value = read ?? {};
  if (!isObject(value))
    throw invalid([{ ...positionOf([]), message: 'each field must be a line such as name: Summer.' }]);
  const briefLine = (before + yaml).split('\n').length + 1;
  const positionIn = (field: string, part?: 'key') =>
    field in value ? positionOf([field], part) : { line: field === briefField(resource) ? briefLine : 1 };
  return { fields: value, brief: rest.join('---').trim(), positionIn, sourceOf, invalid };
}

/** What the user changed. @throws an error with all problems */
function changesIn(
  { fields, brief, positionIn, sourceOf, invalid }: ReturnType<typeof readFile>,
  row: Row,
  resource: DraftResource,
  warn: (text: string) => void,
): JsonObject {
  const format = formatField(briefField(resource));
  const editable = [...editableFields(resource), format];
  const unknown = Object.keys(fields).filter((field) => !editable.includes(field));
  const readOnly = Object.keys(row);
  const problems: Problem[] = unknown.map((field) => ({
    ...positionIn(field, 'key'),
    message: unknownKey(field, editable, { readOnly }),
  }));
  const changed = Object.fromEntries(
    Object.entries(fields).filter(
      ([field, value]) => !isSameJson(value, valueAt(row, field) ?? null) && !unknown.includes(field),
    ),
  );
  if (brief !== briefLines(resource, row)) changed[briefField(resource)] = brief === '' ? null : brief;
  const sent = withHtmlBriefs(resource.fields, changed, {
    problem: (field, message) => problems.push({ ...positionIn(field), message: `${field} ${message}` }),
    leftOut: (_field, message) => warn(message),
  });
  const { data, error } = inputSchema(resource.changes).safeParse(sent, { reportInput: true, ...codesOnly });
  for (const issue of error?.issues ?? []) {
    const field = String(issue.path[0]);
    problems.push({ ...positionIn(field), message: `${field} ${valueMessage(issue, sourceOf(issue.path))}` });
  }
  if (problems.length > 0) throw invalid(problems);
  return data ?? {};
}

/** Opens a resource in the editor, and sends what the user changed unless someone else has changed it meanwhile. */
export async function edit(context: Context, invocation: Invocation, listing: DraftListing): Promise<void> {
  const { resource } = listing;
  const editor = editorOf(context, `mkt ${resource.command} update --help`);
  const word = await namedOrPicked(context, listing, invocation);
  const connection = await connect(context, listing);
  const { api, organization } = connection;
  const operations = operationsOf(resource, api.client, api.organization, api.options);
  const view = detailView(listing);
  await context.print.checkKnown(view);
  const id = await findId(connection, word);
  const { data: row, meta } = await connection.explained('show', id, () => operations.get(id).withResponse());
  const original = fileText(row, editableFields(resource), resource);
  const folder = mkdtempSync(join(tmpdir(), 'mkt-'));
  const name = `${resource.singular}-${id.replaceAll(/[^\w-]/g, '_')}.html`;
  const path = join(folder, name);
  writeFileSync(path, original);

  const sendChanges = async (text: string): Promise<{ changed: Row; fields: Row } | undefined> => {
    const file = readFile(text, name, resource);
    const fields = changesIn(file, row, resource, (warning) => context.warn(warning));
    if (Object.keys(fields).length === 0) return undefined;
    try {
      return { changed: await operations.update(id, fields, meta.etag ?? undefined), fields };
    } catch (error) {
      if (error instanceof PreconditionFailedError)
        throw failure(
          'changed_meanwhile',
          `${capital(resource.singular)} ${id} has changed since you opened it. Your changes were not sent.`,
          toType(context.commandWith({}), 'To start from its current state'),
        );
      const explained = await explain(error, { action: 'update', resource, id, organization }, context);
      const { fields = {}, reasons: rejected = fields } = explained instanceof CliError ? explained.details : {};
      const problems = Object.entries(rejected).flatMap(([field, messages]) =>
        messages.map((message) => ({
          ...file.positionIn(field),
          message: `${field} ${sanitizeLine(messageText(message, asField))}`,
        })),
      );
      throw problems.length === 0 ? explained : file.invalid(problems);
    }
  };

  const untilSent = async (): ReturnType<typeof sendChanges> => {
    for (;;) {
      const text = await editText(context, editor, path);
      if (text.trim() === '' || text === original) return undefined;
      try {
        return await sendChanges(text);
      } catch (error) {
        const { message = '', lines } = error instanceof CliError ? error.details : {};
        const prompter = await context.prompter();
        if (lines === undefined || prompter === undefined) throw error;
        context.warn([message, ...lines].join('\n'));
        const next = await prompter.select('What next?', [
          { value: 'edit', label: 'Edit again' },
          { value: 'stop', label: 'Stop and send nothing' },
        ]);
        if (next === 'stop') throw declined();
      }
    }
  };
  let sent: Awaited<ReturnType<typeof sendChanges>>;
  try {
    sent = await untilSent();
  } catch (error) {
    context.warn(`Your text is in ${path}`);
    throw error;
  }
  rmSync(folder, { recursive: true });
  if (sent === undefined) return context.note(`Nothing to change in ${labelOf(resource, row)}.`);
  const { changed, fields } = sent;
  await connection.receipt(`Updated ${Object.keys(fields).join(', ')} of`, changed, fields);
  await context.print.changed(changed, changedView(view, Object.keys(fields), changed));
}
