interface TourCommand {
  readonly line: string;
  /** The line to run instead if each step has its own screen of 24 lines. */
  readonly onOneScreen?: string;
  /** The expected exit code; 0 by default. */
  readonly exit?: number;
}

export interface Step {
  readonly title: string;
  readonly text: string;
  readonly commands: readonly TourCommand[];
  /** How often campaigns are recorded before the commands, four hours apart, while they earn views. */
  readonly readings?: number;
}

/** The steps. Ids and names are those of the demo data, which are the same on every machine. */
export const tour: readonly Step[] = [
  {
    title: 'Your campaigns',
    text: 'Acme Cosmetics is organization 5. Each row is a campaign; the last line says how many there are, and how to see the rest.',
    commands: [{ line: 'mkt campaigns list --org 5', onOneScreen: 'mkt campaigns list --org 5 --limit 10' }],
  },
  {
    title: 'One campaign in detail',
    text: 'The number at the start of a row is its id, which other commands take. Without --fields, all fields are shown, including the whole brief.',
    commands: [{ line: 'mkt campaigns show 8 --org 5 --fields name,status,countries,view_count,brief' }],
  },
  {
    title: 'A new campaign',
    text: 'It starts as a draft, which only admins of the brand see. Fields that you leave out get defaults: here the smallest and the largest payout, and the brief.',
    commands: [{ line: 'mkt campaigns create --org 5 --name "Autumn launch" --countries US,CA --cpm-amount 700' }],
  },
  {
    title: 'Publish it',
    text: 'mkt reports what it did, to which campaign, and where. From now on, the payouts and the currency cannot change, so without --yes mkt asks first.',
    commands: [{ line: 'mkt campaigns publish 48 --org 5 --yes' }],
  },
  {
    title: 'When a command fails',
    text: 'A failed command changes nothing here. It says what was wrong and, if possible, what to type next. Scripts read the exit code: 6 means rejected, 3 means not found.',
    commands: [
      { line: 'mkt campaigns update 48 --org 5 --cpm-amount 900', exit: 6 },
      { line: 'mkt campaigns show 84 --org 5', exit: 3 },
    ],
  },
  {
    title: 'Numbers for a spreadsheet, or for a program',
    text: 'The three active campaigns with the most views, as CSV; then the total views of all campaigns. mkt export campaigns --org 5 --out campaigns.csv writes all rows to a file.',
    commands: [
      {
        line: 'mkt campaigns list --org 5 --status active --sort -view_count --limit 3 --fields id,name,view_count --format csv',
      },
      { line: "mkt campaigns list --org 5 --all --jq 'map(.view_count) | add'" },
    ],
  },
  {
    title: 'How views develop',
    text: 'A day has passed, in which mkt watch has recorded the campaigns. From the record come trends, mkt changes, mkt report and mkt undo.',
    readings: 7,
    commands: [{ line: 'mkt campaigns trend --org 5 --since 7d' }],
  },
];
