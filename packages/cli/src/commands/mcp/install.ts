import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { structuredPatch } from 'diff';
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';
import { parseDocument } from 'yaml';
import { findOrganization } from '../../api/organization.js';
import { confirm } from '../../changes/confirm.js';
import { writeAtomically } from '../../config/folders.js';
import { textOf } from '../../config/text-of.js';
import type { Context } from '../../context/context.js';
import { usageError, usingFiles } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';
import { didYouMean, nearest } from '../../text/nearest.js';
import { isObject, sanitize } from '../../text/values.js';
import { type ClientName, clientNames, type ServerOptions, toolsets } from './server-options.js';

type Entry = Readonly<Record<string, unknown>>;

interface Client {
  readonly title: string;
  /** Its settings, in the home folder or in the current one. */
  readonly path: (io: Io) => string;
  /** The text of the settings with a server. Comments, and what was added by hand, stay. Undefined if the text is not valid. */
  readonly edit: (text: string, name: string, entry: Entry) => string | undefined;
}

/** JSON, which in some editors has comments. */
const json =
  (key: 'mcpServers' | 'servers'): Client['edit'] =>
  (text, name, entry) => {
    const source = text.trim() === '' ? '{}\n' : text;
    const errors: ParseError[] = [];
    const options = { allowTrailingComma: true };
    if (!isObject(parse(source, errors, options)) || errors.length > 0) return undefined;
    const fields = Object.entries(key === 'servers' ? { type: 'stdio', ...entry } : entry);
    const formattingOptions = { insertSpaces: true, tabSize: 2 };
    return fields.reduce(
      (changed, [field, value]) =>
        JSON.stringify(parse(changed)[key]?.[name]?.[field]) === JSON.stringify(value)
          ? changed
          : applyEdits(changed, modify(changed, [key, name, field], value, { formattingOptions })),
      source,
    );
  };

/** TOML: a table of its own at the end. One that is there already is not changed. */
const toml: Client['edit'] = (text, name, { command, args }) => {
  const table = `[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
  if (text.includes(table)) return text;
  if (new RegExp(`^\\s*\\[mcp_servers\\.["']?${name}["']?\\]`, 'm').test(text)) return undefined;
  return `${text === '' ? '' : `${text.trimEnd()}\n\n`}${table}`;
};

const yaml: Client['edit'] = (text, name, { command, ...rest }) => {
  const document = parseDocument(text);
  const settings: unknown = document.toJS();
  if (document.errors.length > 0 || !(settings === null || isObject(settings))) return undefined;
  const own = { type: 'stdio', name, cmd: command, enabled: true, timeout: 300, ...rest };
  for (const [field, value] of Object.entries(own)) document.setIn(['extensions', name, field], value);
  return String(document);
};

const roaming = ({ home, env }: Io): string => env.APPDATA ?? join(home, 'AppData', 'Roaming');
const configFolder = ({ home, env }: Io): string => env.XDG_CONFIG_HOME ?? join(home, '.config');

function claudeFolder(io: Io): string {
  if (io.platform === 'darwin') return join(io.home, 'Library', 'Application Support', 'Claude');
  return join(io.platform === 'win32' ? roaming(io) : configFolder(io), 'Claude');
}

const clients: Readonly<Record<ClientName, Client>> = {
  claude: {
    title: 'Claude Desktop',
    path: (io) => join(claudeFolder(io), 'claude_desktop_config.json'),
    edit: json('mcpServers'),
  },
  'claude-code': {
    title: 'Claude Code, in this folder',
    path: ({ cwd = '.' }) => join(cwd, '.mcp.json'),
    edit: json('mcpServers'),
  },
  cursor: { title: 'Cursor', path: ({ home }) => join(home, '.cursor', 'mcp.json'), edit: json('mcpServers') },
  vscode: {
    title: 'Visual Studio Code, in this folder',
    path: ({ cwd = '.' }) => join(cwd, '.vscode', 'mcp.json'),
    edit: json('servers'),
  },
  codex: {
    title: 'Codex',
    path: ({ home, env }) => join(env.CODEX_HOME ?? join(home, '.codex'), 'config.toml'),
    edit: toml,
  },
  gemini: { title: 'Gemini CLI', path: ({ home }) => join(home, '.gemini', 'settings.json'), edit: json('mcpServers') },
  goose: {
    title: 'Goose',
    path: (io) =>
      io.platform === 'win32'
        ? join(roaming(io), 'Block', 'goose', 'config', 'config.yaml')
        : join(configFolder(io), 'goose', 'config.yaml'),
    edit: yaml,
  },
  windsurf: {
    title: 'Windsurf',
    path: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    edit: json('mcpServers'),
  },
};

const isClient = (name: string): name is ClientName => Object.hasOwn(clients, name);

async function chosenClient(context: Context, name: string | undefined): Promise<Client> {
  if (name !== undefined && isClient(name)) return clients[name];
  const list = `One of: ${clientNames.join(', ')}`;
  if (name !== undefined)
    throw usageError(`"${name}" is not a known client.${didYouMean(nearest(name, clientNames))}`, list);
  const prompter = await context.prompter();
  if (prompter === undefined) throw usageError('No client was given.', list);
  const choices = clientNames.map((value) => ({ value, label: clients[value].title }));
  const picked = await prompter.select('Which assistant?', choices);
  return clients[isClient(picked) ? picked : 'claude'];
}

/** How the client starts mkt: with the same organization, profile and service. A token is never written. */
function serverEntry({ options }: Context, { name, toolsets: chosen, allowWrite }: ServerOptions): Entry {
  const given = {
    ...{ org: options.org, profile: options.profile, 'base-url': options['base-url'], name },
    toolsets: chosen.length < toolsets.length ? chosen.join(',') : undefined,
  };
  const args = Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}`, value]));
  return { command: 'mkt', args: ['mcp', ...args, ...(allowWrite ? ['--allow-write'] : [])] };
}

/** Adds mkt to the settings of an assistant, after showing the change. */
export async function install(
  context: Context,
  name: string | undefined,
  { isDryRun, ...options }: ServerOptions & { readonly isDryRun: boolean },
): Promise<void> {
  const { title, path: pathOf, edit } = await chosenClient(context, name);
  const { org } = context.options;
  // Otherwise it would fail only in the assistant.
  if (org !== undefined && context.settings.baseUrl !== undefined) await findOrganization(context, org, '--org');
  const path = pathOf(context.io);
  const before = existsSync(path) ? textOf(readFileSync(path), path) : '';
  const entry = serverEntry(context, options);
  const after = edit(before, options.name ?? 'mkt', entry);
  if (after === undefined)
    throw usageError(
      `${path} cannot be changed: it is not valid, or has another ${options.name ?? 'mkt'}.`,
      `Correct it, or add this yourself: ${JSON.stringify(entry)}`,
    );
  if (after === before) return context.note(`${title} has mkt already (${path}).`);
  context.note(`${isDryRun ? 'Would change' : 'Changes'} ${path}:`);
  for (const { lines } of structuredPatch('', '', before, after, '', '', { context: 2 }).hunks)
    for (const line of lines) context.note(sanitize(line));
  if (isDryRun) return;
  await confirm(context, `Add mkt to ${title}`, '');
  usingFiles(`Cannot write ${path}`, () => writeAtomically(path, after));
  context.note(`Added mkt to ${title}. Restart it to use mkt.`);
}
