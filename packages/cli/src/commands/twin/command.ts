import { type CommandGroup, defineCommand } from '../../context/command.js';

const pull = defineCommand({
  name: 'pull',
  output: 'nothing',
  summary: 'Copy an organization to a file that mkt twin serve reads',
  notes: [
    'The file is a seed with the organization, its members, campaigns, collabs, briefs and images, and with your social accounts, your address and the descriptions of your tokens. Names, e-mail addresses and postal addresses of people are masked unless you add --keep-names. It never contains a token.',
    'mkt only reads, four requests at a time, so a read-only token is enough. What the token may not read is left out and reported. The file appears only when it is complete; after Ctrl-C or a lost network, the same command continues.',
    'The API does not say whose token it is. In the copy, your tokens belong to the owner; with --as, to another member.',
  ],
  flags: [
    { name: 'out', kind: 'path', value: 'FILE', description: 'The file to write' },
    { name: 'keep-names', kind: 'switch', description: 'Keep names, e-mail addresses and postal addresses of people' },
    { name: 'as', kind: 'text', value: 'EMAIL', description: 'The member whose tokens the copy has: you' },
  ],
  examples: [
    { line: 'mkt twin pull --org 5 --out acme.twin' },
    { line: 'mkt twin pull --org 5 --as cleo@acme.example --keep-names --out cleo.twin' },
  ],
  run: async (context, { flags }) => (await import('./pull.js')).pullTwin(context, flags),
});

/** The flags of the server follow the file, so they are passed on. */
const serve = defineCommand({
  name: 'serve',
  summary: 'Serve the copy of an organization on this machine',
  passThrough: true,
  notes: [
    'The flags are those of mkt serve. It prints MKT_BASE_URL and MKT_TOKEN for the copy, and stores nothing. Changes stay in the copy.',
  ],
  examples: [{ line: 'mkt twin serve acme.twin' }, { line: 'mkt twin serve acme.twin --port 4011' }],
  run: async (context, { args, command }) => (await import('./serve.js')).serveTwin(context, args, command.examples),
});

export const twin: CommandGroup = {
  name: 'twin',
  summary: 'A copy of an organization, to rehearse changes on',
  commands: () => [pull, serve],
};
