import type { Leaf } from './command.js';

export const apply: Leaf = {
  name: 'apply',
  summary: 'Make campaigns and collabs as a file declares them',
  notes: [
    'The file is YAML or JSON: campaigns and collabs as lists of objects, and an organization (id or exact name) unless --org or the settings name it. Each object needs an id, or a name: the one of exactly this name is changed, or created where there is none. Only the fields that are declared are compared and changed. Nothing is ever deleted.',
    'A declared status (of a collab: state) runs the actions that lead there, fields first. "published" submits a draft collab, and the marketplace reviews it.',
    'brief: "@summer.html" reads a file, relative to the declaring one and below its folder or the working folder. Banners cannot be sent; purge_banner_image: true takes the one of a collab away.',
    'It shows the difference, asks, and does it, 4 at a time. A second run changes nothing. What somebody changed since the difference was shown is left alone and reported. --dry-run only reads, so a read-only token will do; its --json tells up_to_date and counts.',
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
      '  - id: 3',
      '    state: paused',
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
  load: async () => (await import('../actions/apply/index.js')).apply,
};
