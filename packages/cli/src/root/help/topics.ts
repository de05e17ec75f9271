import { exitCodeMeanings } from '../../errors/exit-codes.js';

type Entry = readonly [term: string, description: string];

/** A part of a topic: sentences, then names with what they mean, then lines to copy. */
export interface TopicSection {
  readonly title: string;
  readonly text?: readonly string[];
  readonly entries?: readonly Entry[];
  readonly lines?: readonly string[];
}

/** What concerns all commands: `mkt help scripting`. */
export interface Topic {
  readonly name: string;
  readonly summary: string;
  readonly sections: readonly TopicSection[];
}

const environment: Topic = {
  name: 'environment',
  summary: 'Variables that mkt reads. A flag goes before its variable, an empty variable counts as none',
  sections: [
    {
      title: 'Sign-in and place',
      entries: [
        ['MKT_TOKEN', 'The token; goes before a stored one'],
        ['MKT_TOKEN_FILE', 'A file that holds the token'],
        ['MKT_BASE_URL', 'Address of the service (--base-url)'],
        ['MKT_ORG', 'Id or name of the organization (--org)'],
        ['MKT_PROFILE', 'Stored sign-in to use (--profile)'],
      ],
    },
    {
      title: 'Where things are kept',
      entries: [
        ['MKT_CONFIG_DIR', 'Folder of config.json and credentials.json'],
        ['XDG_CONFIG_HOME', 'Without MKT_CONFIG_DIR: the folder mkt within this one'],
        ['XDG_CACHE_HOME', 'Folder of what completion offers; with MKT_CONFIG_DIR the folder cache in that'],
        ['MKT_NO_KEYRING', 'Set to 1: keep tokens in credentials.json and not in the keychain'],
      ],
    },
    {
      title: 'Behaviour',
      entries: [
        ['MKT_NO_INPUT', 'Set to 1: never ask anything (--no-input). CI does the same'],
        ['MKT_DEBUG', 'Set to 1: headers and stack traces, secrets masked (--debug)'],
        ['MKT_PAGER', 'A program that shows what is longer than the screen, such as less'],
        ['NO_COLOR', 'Any value: no colour (--no-color)'],
        ['FORCE_COLOR', 'Set to 1: colour also into a pipe. 0: none'],
      ],
    },
    {
      title: 'Network',
      entries: [
        ['HTTPS_PROXY, HTTP_PROXY', 'Proxy for requests'],
        ['NO_PROXY', 'Hosts that are reached without it'],
        ['NODE_EXTRA_CA_CERTS', 'File with more certificates to trust, such as those of a company proxy'],
      ],
    },
  ],
};

const exitCodesTopic: Topic = {
  name: 'exit-codes',
  summary: 'What a run ends with. None of these changes its meaning',
  sections: [
    { title: 'Exit codes', entries: [...exitCodeMeanings].map(([code, meaning]): Entry => [String(code), meaning]) },
    {
      title: 'Several at once',
      text: [
        'A command that takes several ids ends with 9 when some of them are done, and with the code of the first failure when none is.',
      ],
    },
    {
      title: 'As JSON',
      text: [
        'With --json or --format ndjson an error is one line of JSON on stderr; exitCode in it is the code. stdout stays empty; with 9 it holds what was done, and with mkt doctor what was found.',
      ],
      lines: ['mkt campaigns show 4711 --json 2> error.json'],
    },
  ],
};

const formatting: Topic = {
  name: 'formatting',
  summary: 'How output is shaped. It goes to stdout; receipts, footers and questions go to stderr',
  sections: [
    {
      title: 'Formats',
      entries: [
        ['table', 'The default. Fitted to the terminal; in a pipe nothing is cut'],
        ['json', "One array for a list, one object for one thing; all fields, under the API's names. Also --json"],
        ['ndjson', 'One object on each line, written as the rows arrive'],
        ['csv', 'With a header. Text that a spreadsheet would take for a formula begins with a quote'],
        ['tsv', 'The same with tabs'],
        ['yaml', 'As json'],
      ],
    },
    {
      title: 'Choosing',
      entries: [
        ['--fields A,B', 'These fields, in this order; a path such as user.email reaches inside'],
        ['--jq EXPR', 'Filters the JSON with a jq expression; needs no jq on the machine'],
        ['--no-header', 'Leaves the header out of table, csv and tsv'],
        ['--sort FIELD', 'Sorts a list; -FIELD for the largest first'],
      ],
    },
    {
      title: 'Examples',
      lines: [
        'mkt campaigns list --fields id,name,status',
        'mkt members list --fields user.email --no-header',
        'mkt campaigns list --all --jq \'.[] | select(.status == "active") | .id\'',
        'mkt export collabs --format ndjson',
      ],
    },
    {
      title: 'Values',
      text: [
        "Amounts are printed as the API gives them, never scaled. Control characters in names and briefs are taken out of what people read; JSON keeps them, escaped. The default format can be stored: mkt config set format json. The profile's format does not apply to --jq, which always reads JSON.",
      ],
    },
  ],
};

const scripting: Topic = {
  name: 'scripting',
  summary: 'How to use mkt in scripts and in CI',
  sections: [
    {
      title: 'Sign in',
      text: [
        'Set MKT_TOKEN and MKT_BASE_URL, and MKT_ORG where the token sees several organizations. No flag takes a token: command lines are visible to everybody on the machine.',
      ],
    },
    {
      title: 'Nothing is ever asked',
      text: [
        'Questions need a terminal on both ends. Without one a missing value is an error with code 2, and what needs a confirmation ends with code 10 and does nothing, unless --yes is given. A piped y is never read.',
      ],
      lines: ['mkt campaigns delete 40 --yes'],
    },
    {
      title: 'Read all rows',
      text: [
        'A list prints one page. --all reads every page, --limit N as many as N rows take. The footer on stderr says when rows are missing; --quiet silences it.',
      ],
      lines: ['mkt campaigns list --all --json', 'mkt export campaigns --out campaigns.csv'],
    },
    {
      title: 'Decide by exit code',
      text: ['mkt help exit-codes lists them.'],
      lines: ['mkt campaigns show 12 --quiet > campaign.txt || test $? -eq 3'],
    },
    {
      title: 'What stays',
      text: [
        'Commands, arguments, flags, JSON fields and exit codes are kept from release to release. Tables and messages may change: read json, ndjson, csv or tsv.',
      ],
    },
  ],
};

const config: Topic = {
  name: 'config',
  summary: 'Where settings come from',
  sections: [
    {
      title: 'What decides, first to last',
      entries: [
        ['1. a flag', '--org, --profile, --base-url, --format'],
        ['2. the environment', 'MKT_TOKEN, MKT_BASE_URL, MKT_ORG, MKT_PROFILE'],
        ['3. .mkt.json', 'org and format for a project: the nearest file, from this folder upwards'],
        ['4. the profile', 'base_url, org and format of the sign-in in use'],
        ['5. the default', 'table; the only organization that the token sees'],
      ],
    },
    {
      title: 'Keys',
      entries: [
        ['base_url', 'Address of the service'],
        ['org', 'Id of the organization to work in'],
        ['format', 'Output format'],
      ],
    },
    {
      title: 'Profiles',
      text: [
        'A profile is one sign-in: address, organization, format and where its token is. mkt login --profile NAME makes one, mkt auth switch NAME uses it from then on. A stored token is sent only to the host that it was stored for.',
      ],
    },
    {
      title: 'Projects',
      text: ['.mkt.json may hold org and format. Every other key in it is ignored: such a file may be cloned.'],
      lines: ['echo \'{"org": "5", "format": "json"}\' > .mkt.json'],
    },
    {
      title: 'To see what holds',
      lines: ['mkt config list --show-origin', 'mkt config path'],
    },
  ],
};

/** In the order of the help. */
export const topics: readonly Topic[] = [environment, exitCodesTopic, formatting, scripting, config];
