import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { structuredPatch } from 'diff';
import { findOrganization } from '../../api/organization.js';
import { confirm } from '../../changes/confirm.js';
import { writeAtomically } from '../../config/folders.js';
import { textOf } from '../../config/text-of.js';
import type { Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { fileError, usageError } from '../../errors/cli-error.js';
import type { Io } from '../../io/io.js';
import { isObject, parseJson } from '../../text/json.js';
import { didYouMean, nearest } from '../../text/nearest.js';
import { sanitize } from '../../text/sanitize.js';
import { type ClientName, clientNames, type ServerOptions, toolsets } from './clients.js';

interface Client {
  readonly title: string;
  /** Its settings, in the home folder or in the current one. */
  readonly path: (io: Io) => string;
  /** The key of the servers in that file. */
  readonly key: 'mcpServers' | 'servers';
}

function claudeFolder({ platform, home, env }: Io): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Claude');
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'Claude');
  return join(env.XDG_CONFIG_HOME ?? join(home, '.config'), 'Claude');
}

const clients: Readonly<Record<ClientName, Client>> = {
  claude: {
    title: 'Claude Desktop',
    path: (io) => join(claudeFolder(io), 'claude_desktop_config.json'),
    key: 'mcpServers',
  },
  'claude-code': {
    title: 'Claude Code, in this folder',
    path: ({ cwd = '.' }) => join(cwd, '.mcp.json'),
    key: 'mcpServers',
  },
  cursor: { title: 'Cursor', path: ({ home }) => join(home, '.cursor', 'mcp.json'), key: 'mcpServers' },
  vscode: {
    title: 'Visual Studio Code, in this folder',
    path: ({ cwd = '.' }) => join(cwd, '.vscode', 'mcp.json'),
    key: 'servers',
  },
  gemini: { title: 'Gemini CLI', path: ({ home }) => join(home, '.gemini', 'settings.json'), key: 'mcpServers' },
  windsurf: {
    title: 'Windsurf',
    path: ({ home }) => join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    key: 'mcpServers',
  },
};

const isClient = (name: string): name is ClientName => Object.hasOwn(clients, name);

async function chosenClient(context: Context, name: string | undefined): Promise<Client> {
  if (name !== undefined && isClient(name)) return clients[name];
  const list = `One of: ${clientNames.join(', ')}`;
  if (name !== undefined) {
    const meant = nearest(name, clientNames);
    throw usageError(`"${name}" is not a known client.${didYouMean(meant)}`, list);
  }
  const prompter = await context.prompter();
  if (prompter === undefined) throw usageError('No client was given.', list);
  const choices = clientNames.map((value) => ({ value, label: clients[value].title }));
  const picked = await prompter.select('Which assistant?', choices);
  return clients[isClient(picked) ? picked : 'claude'];
}

/** How the client starts mkt: with the same organization, profile and service. A token is never written. */
function serverEntry({ options }: Context, { name, toolsets: chosen, allowWrite }: ServerOptions, key: Client['key']) {
  const given = {
    ...{ org: options.org, profile: options.profile, 'base-url': options['base-url'], name },
    toolsets: chosen.length < toolsets.length ? chosen.join(',') : undefined,
  };
  const args = Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}`, value]));
  const entry = { command: 'mkt', args: ['mcp', ...args, ...(allowWrite ? ['--allow-write'] : [])] };
  return key === 'servers' ? { type: 'stdio', ...entry } : entry;
}

/** The text of a settings file, and what it contains. */
function readSettings(path: string) {
  if (!existsSync(path)) return { text: '', settings: {} };
  const text = textOf(readFileSync(path), path);
  const settings = text.trim() === '' ? {} : parseJson(text);
  if (isObject(settings)) return { text, settings };
  throw usageError(`${path} is not a JSON object, so it was not changed.`, 'Correct it, or add mkt to it yourself');
}

/** Adds mkt to the settings of an assistant, after showing the change. */
export async function install(
  context: Context,
  invocation: Invocation,
  name: string | undefined,
  { isDryRun, ...options }: ServerOptions & { readonly isDryRun: boolean },
): Promise<void> {
  const { title, path: pathOf, key } = await chosenClient(context, name);
  const { org } = context.options;
  // Otherwise it would fail only in the assistant.
  if (org !== undefined && context.settings.baseUrl !== undefined) await findOrganization(context, org, '--org');
  const path = pathOf(context.io);
  const { text, settings } = readSettings(path);
  const servers = isObject(settings[key]) ? settings[key] : {};
  const own = options.name ?? 'mkt';
  const earlier = isObject(servers[own]) ? servers[own] : {};
  // What was added by hand stays, such as variables of the environment.
  const entry = { ...earlier, ...serverEntry(context, options, key) };
  const changed = { ...settings, [key]: { ...servers, [own]: entry } };
  if (JSON.stringify(changed) === JSON.stringify(settings)) return context.note(`${title} has mkt already (${path}).`);
  const after = `${JSON.stringify(changed, null, 2)}\n`;
  // Without what only the formatting of the file changes.
  const before = text === '' ? '' : `${JSON.stringify(settings, null, 2)}\n`;
  context.note(`${isDryRun ? 'Would change' : 'Changes'} ${path}:`);
  for (const { lines } of structuredPatch('', '', before, after, '', '', { context: 2 }).hunks)
    for (const line of lines) context.note(sanitize(line));
  if (isDryRun) return;
  await confirm(context, invocation, `Add mkt to ${title}`, '');
  try {
    writeAtomically(path, after);
  } catch (cause) {
    throw fileError(`Cannot write ${path} (${(cause as NodeJS.ErrnoException).code}).`, cause);
  }
  context.note(`Added mkt to ${title}. Restart it to use mkt.`);
}
