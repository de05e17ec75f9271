import { defineCommand } from '../../context/command.js';

export const apply = defineCommand({
  name: 'apply',
  summary: 'Make campaigns and collabs as a file declares them',
  notes: [
    'FILE is YAML or JSON. An object with an id is that one; with a name alone it is the one of exactly this name, or a new one. Only declared fields are compared and changed; nothing is ever deleted. Without organization (id or exact name) it is that of --org or the settings.',
    'A declared status (of a collab: state) runs the actions that lead there, after the fields. "published" submits a draft collab, and the marketplace reviews it.',
    'brief: "@summer.html" reads a file below the folder of FILE or the working folder. Banners cannot be sent; purge_banner_image: true removes that of a collab.',
    'What somebody changed since the difference was shown is left alone and reported. --dry-run only reads: a read-only token will do.',
  ],
  sample: {
    name: 'marketplace.yaml',
    lines: [
      'organization: Acme Cosmetics',
      'campaigns:',
      '  - name: Summer UGC Campaign',
      '    countries: [US, CA, GB]',
      '    status: active',
      '  - name: Autumn glow',
      '    cpm_amount: 650',
      '    brief: |',
      '      <p>Show your <b>evening</b> routine.</p>',
      'collabs:',
      '  - {id: 3, state: paused}',
    ],
  },
  flags: [
    {
      name: 'file',
      short: 'f',
      kind: 'path',
      value: 'FILE',
      description: 'The file that declares; - reads stdin',
      required: true,
    },
    { name: 'dry-run', kind: 'switch', description: 'Show the difference and change nothing' },
  ],
  prints: null,
  examples: [
    {
      line: "mkt campaigns list --org 5 --all --jq '{campaigns: map({id, name, status})}'",
      about: 'What there is, as a file to begin with: JSON is YAML too',
    },
    { line: 'mkt apply -f marketplace.yaml --dry-run', about: 'Look first' },
    { line: 'mkt apply -f marketplace.yaml --yes', about: 'Without a question, as in CI' },
    {
      line: 'mkt apply -f marketplace.yaml --dry-run --jq .up_to_date',
      about: 'Is there a difference? Prints true or false',
    },
  ],
  run: async (context, invocation) => (await import('./run.js')).applyFile(context, invocation, invocation.flags),
});
