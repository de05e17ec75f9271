import { defineCommand } from '../../context/command.js';

export const apply = defineCommand({
  name: 'apply',
  summary: 'Change campaigns, collabs and roles to match a file',
  notes: [
    'FILE is YAML or JSON. An object is found by its id, or else by its exact name; if no object has that name, it is created. Only declared fields are compared and changed. Drafts with delete: true are deleted, nothing else is. organization is an id or a name; without it, --org or the settings apply.',
    'Also: members: [{id: cleo@acme.example, role: admin}] for roles, and address: {city: Berlin} for your own address.',
    'A declared status (for a collab: state) runs the actions that lead to it, after the fields are changed. For "published", a draft collab is submitted, and then the marketplace reviews it.',
    'brief: "@summer.html" reads a file in the folder of FILE or in the current folder. Banners cannot be uploaded; purge_banner_image: true removes the banner of a collab.',
    '--rehearse copies the organization and the objects of the file into memory, makes the changes there as an admin, and shows each object before and after, what would be rejected, earned by creators and locked. Then mkt asks, and stops if the service has changed in between. With --yes or --dry-run, a rejected change ends the run with exit code 6 and changes nothing.',
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
      description: 'The file with the declarations; - reads a pipe',
      completes: { from: 'files' },
    },
  ],
  flags: [
    { name: 'file', short: 'f', kind: 'path', value: 'FILE', description: 'The same as the argument' },
    { name: 'dry-run', kind: 'switch', description: 'Show the plan and change nothing' },
    {
      name: 'rehearse',
      kind: 'switch',
      description: 'First make the changes on a copy in memory, and show the result',
    },
  ],
  examples: [
    { line: 'mkt pull --org 5 --out marketplace.yaml', about: 'Writes what exists as a file to start from' },
    { line: 'mkt apply marketplace.yaml --dry-run', about: 'Check first' },
    { line: 'mkt apply marketplace.yaml --rehearse --dry-run', about: 'Try it on a copy' },
    { line: 'mkt apply marketplace.yaml --yes', about: 'Without a prompt, as in CI' },
    {
      line: 'mkt apply marketplace.yaml --dry-run --jq .up_to_date',
      about: 'Prints true if nothing would change, else false',
    },
  ],
  run: async (context, { args: [file], flags }) => (await import('./run.js')).applyFile(context, file, flags),
});
