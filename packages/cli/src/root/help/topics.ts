import { exitCodeMeanings } from '../../errors/exit-codes.js';

/** A part of a topic: sentences, then terms with descriptions, then lines to copy. */
export interface TopicSection {
  readonly title: string;
  readonly text: readonly string[];
  readonly entries: readonly (readonly [term: string, description: string])[];
  readonly lines: readonly string[];
}

/** What concerns all commands: `mkt help scripting`. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly sections: readonly TopicSection[];
}

/** The first row is the title. `term  description` is an entry, `$ line` is a line to copy, all others are one text. */
function sectionFrom(block: string): TopicSection {
  const [title = '', ...rows] = block.split('\n');
  const section = { title, text: [] as string[], entries: [] as [string, string][], lines: [] as string[] };
  for (const row of rows) {
    const [term = '', description] = row.split(/ {2,}/);
    if (row.startsWith('$ ')) section.lines.push(row.slice(2));
    else if (description !== undefined) section.entries.push([term, description]);
    else section.text.push(row);
  }
  return { ...section, text: section.text.length === 0 ? [] : [section.text.join(' ')] };
}

const topic = (name: string, summary: string, text: string): Topic => ({
  name,
  summary,
  sections: text.trim().split('\n\n').map(sectionFrom),
});

/** In the order of the help. */
export const topics: readonly Topic[] = [
  topic(
    'environment',
    'Variables that mkt reads. A flag overrides its variable; an empty variable is ignored',
    `
Sign-in and defaults
MKT_TOKEN               The token; overrides a stored one
MKT_TOKEN_FILE          A file that holds the token
MKT_BASE_URL            Address of the service (--base-url)
MKT_ORG                 Id or name of the organization (--org)
MKT_PROFILE             Stored sign-in to use (--profile)

Where files are stored
MKT_CONFIG_DIR          Folder of config.json and credentials.json
XDG_CONFIG_HOME         Without MKT_CONFIG_DIR: the folder mkt within this one
XDG_CACHE_HOME          Folder of what completion offers; with MKT_CONFIG_DIR the folder cache in that
MKT_NO_KEYRING          Set to 1: store tokens in credentials.json, not in the keychain

Behaviour
MKT_NO_INPUT            Set to 1: never prompt (--no-input). CI does the same
MKT_DEBUG               Set to 1: headers and stack traces, secrets masked (--debug)
MKT_PAGER               A program that shows what is longer than the screen, such as less
NO_COLOR                Any value: no colour (--no-color)
FORCE_COLOR             Set to 1: colour also into a pipe. 0: none

Network
HTTPS_PROXY, HTTP_PROXY  Proxy for requests
NO_PROXY                Hosts that are reached without the proxy
NODE_EXTRA_CA_CERTS     File with more certificates to trust, such as those of a company proxy
`,
  ),
  topic(
    'exit-codes',
    'What a run ends with. None of these changes its meaning',
    `
Exit codes
${[...exitCodeMeanings].map(([code, meaning]) => `${code}  ${meaning}`).join('\n')}

Several at once
A command that takes several ids ends with 9 when some of them are done, and with the code of the first failure
when none is.

As JSON
With --json or --format ndjson an error is one line of JSON on stderr; exitCode in it is the code. stdout stays
empty; with 9 it holds what was done, and with mkt doctor what was found.
$ mkt campaigns show 4711 --json 2> error.json
`,
  ),
  topic(
    'formatting',
    'How output is formatted. Rows go to stdout; receipts, footers and prompts go to stderr',
    `
Formats
table         The default. Fitted to the terminal; in a pipe nothing is cut
json          One array for a list, one object for a single row; all fields, under the API's names. Also --json
ndjson        One object on each line, written as the rows arrive
csv           With a header. Text that a spreadsheet would take for a formula begins with a quote
tsv           The same with tabs
yaml          As json

Choosing
--fields A,B  These fields, in this order; a path such as user.email reaches inside
--jq EXPR     Filters the JSON with a jq expression; needs no jq on the machine
--no-header   Leaves the header out of table, csv and tsv
--sort FIELD  Sorts a list; -FIELD for the largest first

Examples
$ mkt campaigns list --fields id,name,status
$ mkt members list --fields user.email --no-header
$ mkt campaigns list --all --jq '.[] | select(.status == "active") | .id'
$ mkt export collabs --format ndjson

Values
Amounts are printed as the API gives them, never scaled. Control characters in names and briefs are taken out of
what people read; JSON keeps them, escaped. The default format can be stored: mkt config set format json. The
profile's format does not apply to --jq, which always reads JSON.
`,
  ),
  topic(
    'scripting',
    'How to use mkt in scripts and in CI',
    `
Sign in
Set MKT_TOKEN and MKT_BASE_URL, and MKT_ORG where the token sees several organizations. No flag takes a token:
every user of the machine can see command lines.

No prompts
Prompts need a terminal on both ends. Without one a missing value is an error with code 2, and what needs a
confirmation ends with code 10 and does nothing, unless --yes is given. A piped y is never read.
$ mkt campaigns delete 40 --yes

Read all rows
A list prints one page. --all reads every page, --limit N as many as N rows take. The footer on stderr says when
rows are missing; --quiet silences it.
$ mkt campaigns list --all --json
$ mkt export campaigns --out campaigns.csv

Decide by exit code
mkt help exit-codes lists them.
$ mkt campaigns show 12 --quiet > campaign.txt || test $? -eq 3

Stability
Commands, arguments, flags, JSON fields and exit codes stay the same from release to release. Tables and messages
may change: read json, ndjson, csv or tsv.
`,
  ),
  topic(
    'config',
    'Where settings come from',
    `
Order of precedence
1. a flag           --org, --profile, --base-url, --format
2. the environment  MKT_TOKEN, MKT_BASE_URL, MKT_ORG, MKT_PROFILE
3. .mkt.json        org and format for a project: the nearest file, from this folder upwards
4. the profile      base_url, org and format of the sign-in in use
5. the default      table; the only organization that the token sees

Keys
base_url            Address of the service
org                 Id of the organization to work in
format              Output format

Profiles
A profile is one sign-in: address, organization, format and where its token is. mkt login --profile NAME makes one,
mkt auth switch NAME uses it from then on. A stored token is sent only to the host that it was stored for.

Projects
.mkt.json may hold org and format. Every other key in it is ignored, because such a file may come from a cloned
repository.
$ echo '{"org": "5", "format": "json"}' > .mkt.json

To see the settings in effect
$ mkt config list --show-origin
$ mkt config path
`,
  ),
];
