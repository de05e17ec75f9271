import { defineCommand } from '../../context/command.js';
import { toType, usageError } from '../../errors/cli-error.js';
import { clientNames } from './clients.js';

export const mcp = defineCommand({
  name: 'mcp',
  output: [],
  summary: 'Serve the Model Context Protocol on stdin and stdout, for AI assistants',
  notes: [
    'An assistant starts this command; see the guide "AI assistants". It uses the sign-in, the profile and the organization of the command line. mkt mcp install adds it to the settings of an assistant: it shows the change and asks.',
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
    { name: 'allow-write', kind: 'switch', description: 'Offer to apply plans that you approve' },
    { name: 'dry-run', kind: 'switch', description: 'With install: show the change, and change nothing' },
  ],
  examples: [
    { line: 'mkt mcp' },
    { line: 'mkt mcp --org 5 --allow-write' },
    { line: 'mkt mcp install cursor --org 5 --allow-write --dry-run', about: 'Shows what would change' },
  ],
  run: async (context, invocation) => {
    const { args, flags } = invocation;
    const [action, client] = args;
    const [allowWrite, isDryRun] = [flags['allow-write'] === true, flags['dry-run'] === true];
    if (action === 'install')
      return (await import('./install.js')).install(context, invocation, client, { allowWrite, isDryRun });
    if (action !== undefined) throw usageError(`"${action}" is not an action of mkt mcp.`, toType('mkt mcp install'));
    if (isDryRun) throw usageError('--dry-run works only with install.', toType('mkt mcp install --dry-run'));
    await (await import('./run.js')).serveMcp(context, allowWrite);
  },
});
