import { demoTokens } from '@mkt/server';
import type { Io } from '../../io/io.js';

/** A command of the tour, as it is typed and as it runs. */
interface TourCommand {
  readonly line: string;
  /** Typed instead where a step has one screen of 24 lines for itself. */
  readonly onOneScreen?: string;
  /** The exit code that the story expects; 0 by default. */
  readonly exit?: number;
}

export interface Step {
  readonly title: string;
  /** What the reader sees, for somebody who runs campaigns and not servers. */
  readonly text: string;
  readonly commands: readonly TourCommand[];
}

/** Ids and names are those of the demo data, which are the same on every machine. */
export const tour: readonly Step[] = [
  {
    title: 'Your campaigns',
    text: 'Acme Cosmetics is organization 5. Each row is a campaign; the last line says how many there are and how to see the rest.',
    commands: [{ line: 'mkt campaigns list --org 5', onOneScreen: 'mkt campaigns list --org 5 --limit 10' }],
  },
  {
    title: 'One campaign in detail',
    text: 'The number in front of a row is its id, which every other command takes. Without --fields every field is shown, including the whole brief.',
    commands: [{ line: 'mkt campaigns show 8 --org 5 --fields name,status,countries,view_count,brief' }],
  },
  {
    title: 'A new campaign',
    text: 'It starts as a draft, which only the admins of the brand see. What you leave out gets a default: here the smallest and the largest payout, and the brief.',
    commands: [{ line: 'mkt campaigns create --org 5 --name "Autumn launch" --countries US,CA --cpm-amount 700' }],
  },
  {
    title: 'Publishing it',
    text: 'The receipt says what was done, to what, and where. From now on the payouts and the currency cannot change.',
    commands: [{ line: 'mkt campaigns publish 48 --org 5' }],
  },
  {
    title: 'When a command is rejected',
    text: 'A rejected command changes nothing. The error says what was wrong and, where it helps, what to type next. Scripts read the exit code: 6 is rejected, 3 is not found.',
    commands: [
      { line: 'mkt campaigns update 48 --org 5 --cpm-amount 900', exit: 6 },
      { line: 'mkt campaigns show 84 --org 5', exit: 3 },
    ],
  },
  {
    title: 'Numbers for a spreadsheet, or for a program',
    text: 'The three active campaigns with the most views, as a spreadsheet reads them; then the views of all campaigns, added up. mkt export campaigns --org 5 --out campaigns.csv writes every row to a file.',
    commands: [
      {
        line: 'mkt campaigns list --org 5 --status active --sort -view_count --limit 3 --fields id,name,view_count --format csv',
      },
      { line: "mkt campaigns list --org 5 --all --jq 'map(.view_count) | add'" },
    ],
  },
];

/**
 * How to call this program here. After `npm run` in a clone it is `npx mkt`; elsewhere npx would fetch a package of
 * that name, which is not ours.
 */
const programIn = ({ npm_command: npmCommand }: Io['env']): string =>
  npmCommand === undefined ? 'mkt' : npmCommand === 'exec' ? 'npx @mkt/cli' : 'npx mkt';

/** The last screen of the guided tour: what to try while the service is running. */
export function whileItRuns(url: string, { env, platform }: Pick<Io, 'env' | 'platform'>): string {
  const mkt = programIn(env);
  const token = demoTokens.ada_write;
  const settings =
    platform === 'win32'
      ? [`  $env:MKT_BASE_URL = '${url}'`, `  $env:MKT_TOKEN = '${token}'`]
      : [`  export MKT_BASE_URL=${url} MKT_TOKEN=${token}`];
  return [
    `The service runs until you quit: ${url}`,
    '',
    `  ${url}/sign_in   the same in a browser; sign in with a token`,
    `  ${url}/docs      the API, to try each request`,
    '',
    `  Ada, owner of Acme Cosmetics   ${token}`,
    `  Ada, with a read-only token    ${demoTokens.ada_read}`,
    `  Cleo, a member, sees no drafts ${demoTokens.cleo_write}`,
    '',
    'Try it in a second terminal:',
    '',
    ...settings,
    `  ${mkt} campaigns pause 48 --org 5`,
    `  ${mkt} collabs list --org 5`,
    `  ${mkt} export campaigns --org 5 --out campaigns.csv`,
    '',
    'Programs use @mkt/sdk, front ends test against @mkt/mock-server.',
    '',
  ].join('\n');
}

/** The end of a tour that ran without keys. */
export function afterwards({ env }: Pick<Io, 'env'>): string {
  const mkt = programIn(env);
  const next = [
    ['demo', 'the tour at your own pace, on a terminal'],
    ['serve', 'a service with the same data that keeps running'],
    ['--help', 'every command'],
  ] as const;
  return [
    'That was the tour; every command really ran. The service is stopped and nothing is left behind.',
    '',
    ...next.map(([command, what]) => `  ${`${mkt} ${command}`.padEnd(Math.max(16, mkt.length + 9))} ${what}`),
    '',
  ].join('\n');
}
