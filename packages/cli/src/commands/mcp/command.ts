import { defineCommand } from '../../context/command.js';

export const mcp = defineCommand({
  name: 'mcp',
  output: [],
  summary: 'Serve the Model Context Protocol on stdin and stdout, for AI assistants',
  notes: [
    'An assistant starts this command; see the guide "AI assistants". It uses the sign-in, the profile and the organization of the command line.',
    'By default it only reads. With --allow-write it can also apply a plan, after the assistant has asked you and you have approved. Tokens are never shown, created or revoked.',
  ],
  flags: [{ name: 'allow-write', kind: 'switch', description: 'Offer to apply plans that you approve' }],
  examples: [{ line: 'mkt mcp' }, { line: 'mkt mcp --org 5 --allow-write' }],
  run: async (context, { flags }) => (await import('./run.js')).serveMcp(context, flags['allow-write'] === true),
});
