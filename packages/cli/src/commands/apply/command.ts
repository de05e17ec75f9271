import { defineCommand } from '../../context/command.js';

export const apply = defineCommand({
  name: 'apply',
  summary: 'Create and change campaigns and collabs to match a file',
  notes: [
    'FILE is YAML or JSON. An object is found by its id, or else by its exact name; if no object has that name, it is created. Only declared fields are compared and changed, and nothing is deleted. organization is an id or an exact name; without it, --org or the settings apply.',
    'A declared status (for a collab: state) runs the actions that lead to it, after the fields are changed. For "published", a draft collab is submitted, and then the marketplace reviews it.',
    'brief: "@summer.html" reads a file in the folder of FILE or in the current folder. Banners cannot be uploaded; purge_banner_image: true removes the banner of a collab.',
    'Objects that someone else changed after the plan was shown are left as they are and reported. --dry-run only reads, so a read-only token is enough.',
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
  args: [
    {
      name: 'file',
      required: false,
      description: 'The file with the declarations; - reads stdin',
      completes: { from: 'files' },
    },
  ],
  flags: [
    { name: 'file', short: 'f', kind: 'path', value: 'FILE', description: 'The same as the argument' },
    { name: 'dry-run', kind: 'switch', description: 'Show the plan and change nothing' },
  ],
  prints: null,
  examples: [
    {
      line: "mkt campaigns list --org 5 --all --jq '{campaigns: map({id, name, status})}'",
      about: 'Prints existing campaigns as a file to start from (JSON is YAML)',
    },
    { line: 'mkt apply marketplace.yaml --dry-run', about: 'Check first' },
    { line: 'mkt apply marketplace.yaml --yes', about: 'Without a prompt, as in CI' },
    {
      line: 'mkt apply marketplace.yaml --dry-run --jq .up_to_date',
      about: 'Prints true if nothing would change, else false',
    },
  ],
  run: async (context, invocation) => (await import('./run.js')).applyFile(context, invocation, invocation.flags),
});
