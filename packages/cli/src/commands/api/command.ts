import { defineCommand } from '../../context/command.js';

export const api = defineCommand({
  name: 'api',
  summary: 'Send any request to the API and print the response',
  notes: [
    'mkt adds the base URL and the token. Without -X, the method is GET, or POST if there is a body. {org} in the path is replaced by the id of the organization that other commands would work in: --org, MKT_ORG, or that of the profile.',
    '-f key=value builds a JSON body. Numbers, true, false, null and JSON are sent as JSON, anything else as text; quotes force text: -f \'zip="01234"\'. @FILE and @- read the text of a file or of stdin. Brackets nest: -f campaign[name]=Autumn -f campaign[countries][]=US. With GET, fields become query parameters.',
  ],
  args: [{ name: 'path', required: true, description: 'Path of the API; {org} is the organization to work in' }],
  flags: [
    { name: 'method', short: 'X', kind: 'text', value: 'METHOD', description: 'GET, POST, PATCH, DELETE or another' },
    {
      name: 'field',
      short: 'f',
      kind: 'text',
      repeatable: true,
      value: 'KEY=VALUE',
      description: 'A field of the body; can be repeated',
    },
    { name: 'input', kind: 'path', value: 'FILE', description: 'Send this file as the JSON body; - reads stdin' },
    {
      name: 'header',
      short: 'H',
      kind: 'text',
      repeatable: true,
      value: "'NAME: VALUE'",
      description: 'A header of the request; can be repeated',
    },
    { name: 'include', short: 'i', kind: 'switch', description: 'Print status and headers first' },
    { name: 'paginate', kind: 'switch', description: 'Read all pages of a list and print one array' },
  ],
  examples: [
    { line: 'mkt api /organizations.json' },
    { line: 'mkt api /organizations/{org}/campaigns.json --org 5 --paginate --fields id,status --format csv' },
    { line: "mkt api /organizations/5.json -i -H 'X-Request-Id: nightly-7'", about: 'With a header' },
    { line: "mkt api /organizations/5/campaigns/1.json -X PATCH -f campaign[name]='Summer, again'" },
  ],
  run: async (context, { args: [path = ''], flags }) => (await import('./run.js')).api(context, path, flags),
});
