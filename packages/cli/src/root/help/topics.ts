import { exitCodeMeanings } from '../../errors/exit-codes.js';

/** A part of a topic: sentences, then terms with descriptions, then lines to copy. */
export interface TopicSection {
  readonly title: string;
  readonly text: readonly string[];
  readonly entries: readonly (readonly [term: string, description: string])[];
  readonly lines: readonly string[];
}

/** A help page that concerns all commands, such as `mkt help scripting`. */
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
MKT_TOKEN_FILE          A file that contains the token
MKT_BASE_URL            URL of the service (--base-url)
MKT_ORG                 Id or name of the organization (--org)
MKT_PROFILE             Stored sign-in to use (--profile)

Where files are stored
MKT_CONFIG_DIR          Folder of config.json and credentials.json
XDG_CONFIG_HOME         Without MKT_CONFIG_DIR: its subfolder mkt is used
XDG_CACHE_HOME          Folder of the completion cache; with MKT_CONFIG_DIR, its subfolder cache
MKT_NO_KEYRING          Set to 1: store tokens in credentials.json, not in the keychain

Behavior
MKT_NO_INPUT            Set to 1: never prompt (--no-input). CI=1 does the same
MKT_DEBUG               Set to 1: show headers and stack traces, with secrets masked (--debug)
MKT_PAGER               A program for output that is longer than the screen, such as less
NO_COLOR                Any value: no color (--no-color)
FORCE_COLOR             Set to 1: color even in a pipe. 0: no color

Network
HTTPS_PROXY, HTTP_PROXY  Proxy for requests
NO_PROXY                Hosts to reach without the proxy
NODE_EXTRA_CA_CERTS     File with additional certificates to trust, such as that of a company proxy
`,
  ),
  topic(
    'exit-codes',
    'Exit codes of mkt. Their meanings never change',
    `
Exit codes
${[...exitCodeMeanings].map(([code, meaning]) => `${code}  ${meaning}`).join('\n')}

Several ids
A command with several ids exits with 9 if only some of them succeeded, and with the code of the first failure
if none did.

As JSON
With --json or --format ndjson, an error is one line of JSON on stderr with the code in exitCode. stdout stays
empty, except that it contains the results with code 9 and the findings of mkt doctor.
$ mkt campaigns show 4711 --json 2> error.json
`,
  ),
  topic(
    'formatting',
    'Output formats. Rows go to stdout; receipts, footers and prompts go to stderr',
    `
Formats
table         The default. Fits the terminal; in a pipe, nothing is cut
json          One array for a list, one object for a single row, with all fields of the API. Also --json
ndjson        One object on each line, written as the rows arrive
csv           With a header. Text that a spreadsheet would run as a formula starts with an apostrophe
tsv           Like csv, with tabs
yaml          Like json

Choosing
--fields A,B  Only these fields, in this order; user.email selects a field of an object
--jq EXPR     Filters the JSON with a jq expression; jq need not be installed
--no-header   Omits the header of table, csv and tsv
--sort FIELD  Sorts a list; -FIELD for descending order

Examples
$ mkt campaigns list --fields id,name,status
$ mkt members list --fields user.email --no-header
$ mkt campaigns list --all --jq '.[] | select(.status == "active") | .id'
$ mkt export collabs --format ndjson

Values
Amounts are printed as the API returns them, never converted. Control characters in names and briefs are removed
from tables and text; JSON contains them escaped. To store a default format: mkt config set format json. It does
not apply to --jq, which always reads JSON.
`,
  ),
  topic(
    'scripting',
    'How to use mkt in scripts and in CI',
    `
Sign in
Set MKT_TOKEN and MKT_BASE_URL, and MKT_ORG if the token has access to several organizations. There is no flag for
the token, because every user of the machine can see command lines.

No prompts
mkt prompts only if both stdin and stderr are a terminal. Otherwise, a missing value is an error with code 2, and a
command that needs confirmation changes nothing and exits with 10, unless you add --yes. A piped y is never read.
$ mkt campaigns delete 40 --yes

Read all rows
A list prints one page. --all reads every page, --limit N as many pages as N rows need. A footer on stderr says
if there are more rows; --quiet hides it.
$ mkt campaigns list --all --json
$ mkt export campaigns --out campaigns.csv

Decide by exit code
mkt help exit-codes lists them.
$ mkt campaigns show 12 --quiet > campaign.txt || test $? -eq 3

Stability
Commands, arguments, flags, JSON fields and exit codes stay the same from release to release. Tables and messages
may change, so let scripts read json, ndjson, csv or tsv.
`,
  ),
  topic(
    'config',
    'Where settings come from, and in which order',
    `
Order of precedence
1. a flag           --org, --profile, --base-url, --format
2. the environment  MKT_TOKEN, MKT_BASE_URL, MKT_ORG, MKT_PROFILE
3. .mkt.json        org and format of a project: the nearest file in this folder or its parents
4. the profile      base_url, org and format of the active profile
5. the default      table; the organization, if the token has access to only one

Keys
base_url            URL of the service
org                 Id of the organization to work in
format              Output format

Profiles
A profile is one sign-in: URL, organization, format and where its token is stored. To create one, run
mkt login --profile NAME; to switch to it, mkt auth switch NAME. A stored token is sent only to its own host.

Projects
.mkt.json may contain org and format. All other keys are ignored, because the file may come from a cloned
repository.
$ echo '{"org": "5", "format": "json"}' > .mkt.json

To see the settings in effect
$ mkt config list --show-origin
$ mkt config path
`,
  ),
];
