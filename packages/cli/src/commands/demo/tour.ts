/** A command of the tour. */
interface TourCommand {
  readonly line: string;
  /** What runs instead where a step has one screen of 24 lines for itself. */
  readonly onOneScreen?: string;
  /** The expected exit code; 0 by default. */
  readonly exit?: number;
}

export interface Step {
  readonly title: string;
  readonly text: string;
  readonly commands: readonly TourCommand[];
}

/** The steps. Ids and names are those of the demo data, which are the same on every machine. */
export const tour: readonly Step[] = [
  {
    title: 'Your campaigns',
    text: 'Acme Cosmetics is organization 5. Each row is a campaign; the last line says how many there are and how to see the rest.',
    commands: [{ line: 'mkt campaigns list --org 5', onOneScreen: 'mkt campaigns list --org 5 --limit 10' }],
  },
  {
    title: 'One of them, closely',
    text: 'The number in front of a row is its id, which every other command takes. Without --fields all fields are shown, the whole brief included.',
    commands: [{ line: 'mkt campaigns show 8 --org 5 --fields name,status,countries,view_count,brief' }],
  },
  {
    title: 'A new campaign',
    text: 'It begins as a draft, which only the admins of the brand see. What you leave out is filled in: here the smallest and the largest payout, and the brief.',
    commands: [{ line: 'mkt campaigns create --org 5 --name "Autumn launch" --countries US,CA --cpm-amount 700' }],
  },
  {
    title: 'Out it goes',
    text: 'The receipt says what was done, to what, and where. From here on the payouts and the currency can no longer change.',
    commands: [{ line: 'mkt campaigns publish 48 --org 5' }],
  },
  {
    title: 'When something is refused',
    text: 'A refusal changes nothing. It says what was wrong, and what to type next where that helps. Scripts read the exit code: 6 is refused, 3 is not found.',
    commands: [
      { line: 'mkt campaigns update 48 --org 5 --cpm-amount 900', exit: 6 },
      { line: 'mkt campaigns show 84 --org 5', exit: 3 },
    ],
  },
  {
    title: 'Numbers for a spreadsheet, or for a program',
    text: 'The three active campaigns with most views, as a spreadsheet reads them; then the views of all campaigns, added up. mkt export campaigns --org 5 --out campaigns.csv writes all rows to a file.',
    commands: [
      {
        line: 'mkt campaigns list --org 5 --status active --sort -view_count --limit 3 --fields id,name,view_count --format csv',
      },
      { line: "mkt campaigns list --org 5 --all --jq 'map(.view_count) | add'" },
    ],
  },
];
