import { defineCommand } from '../../context/command.js';
import { toType, usageError } from '../../errors/cli-error.js';
import { clientNames, toolsets } from './server-options.js';

export const mcp = defineCommand({
  name: 'mcp',
  output: [],
  summary: 'Serve the Model Context Protocol on stdin and stdout, for AI assistants',
  notes: [
    'An assistant starts this command: mkt mcp install adds it to the settings of an assistant, after it has shown the change and asked. It keeps the sign-in that it starts with, and ends if that changes; with --org, it works in that organization only.',
    'By default it only reads. With --allow-write it can also apply a plan, after the assistant has asked you and you have approved. Tokens are never shown, created or revoked.',
  ],
  args: [
    { name: 'action', description: 'install adds mkt to an assistant', completes: { choices: ['install'] } },
    {
      name: 'client',
      description: `With install: ${clientNames.join(', ')}`,
      completes: { choices: clientNames },
    },
  ],
  flags: [
    { name: 'allow-write', kind: 'switch', description: 'Offer to apply plans that you approve (MKT_MCP_ALLOW_WRITE)' },
    { name: 'toolsets', kind: 'list', value: 'A,B', description: `Only these tools: ${toolsets.join(', ')}` },
    { name: 'name', kind: 'text', value: 'NAME', description: 'Name of a second server, in front of its tools' },
    { name: 'dry-run', kind: 'switch', description: 'With install: show the change, and change nothing' },
  ],
  examples: [
    { line: 'mkt mcp' },
    { line: 'mkt mcp --org 5 --toolsets read' },
    { line: 'mkt mcp install cursor --org 5 --allow-write --dry-run', about: 'Shows what would change' },
  ],
  run: async (context, { args: [action, client], flags }) => {
    const { name, toolsets: given = toolsets, 'dry-run': isDryRun = false } = flags;
    const unknown = given.find((each) => !toolsets.some((known) => known === each));
    if (unknown !== undefined) throw usageError(`"${unknown}" is not a toolset.`, `One of: ${toolsets.join(', ')}`);
    if (name !== undefined && !/^[a-z][\w-]{0,19}$/i.test(name))
      throw usageError(`--name takes up to 20 letters, digits, - and _, not "${name}".`);
    // A bundle fills in true or false, and a client that does not know the setting leaves its name.
    const allowWrite = flags['allow-write'] === true || /^(?:1|true)$/.test(context.io.env.MKT_MCP_ALLOW_WRITE ?? '');
    const options = { name, toolsets: given, allowWrite };
    if (action === 'install') return (await import('./install.js')).install(context, client, { ...options, isDryRun });
    if (action !== undefined) throw usageError(`"${action}" is not an action of mkt mcp.`, toType('mkt mcp install'));
    if (isDryRun) throw usageError('--dry-run works only with install.', toType('mkt mcp install --dry-run'));
    await (await import('./run.js')).serveMcp(context, options);
  },
});
