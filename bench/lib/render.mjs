// How sections look, in a terminal and in Markdown. A section is `{ title, about, sizes, columns, rows, notes, noisy, command }`;
// a row is `{ cells, goal? }`, a cell a text, a number or a figure, a goal `{ of, atLeast | atMost }` for the cell at `of`.
import { keeps } from './figures.mjs';

const number = (value, digits) =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

/** `0.52 (0.49-0.55)`, `45 ms (44-48)`, or only the number if there is one round. */
function cellText(cell) {
  if (cell === null || cell === undefined) return '';
  if (typeof cell !== 'object') return String(cell);
  const { median, min, max, digits, unit } = cell;
  const [middle, low, high] = [median, min, max].map((value) => number(value, digits));
  return `${middle}${unit && ` ${unit}`}${min === max ? '' : ` (${low}-${high})`}`;
}

const goalText = (goal) => (goal.atLeast === undefined ? `at most ${goal.atMost}` : `at least ${goal.atLeast}`);

const metText = (goal, cell) => (keeps(goal, cell) ? 'yes' : 'NO');

/** Columns and rows as text; where a row has a goal, with what the goal is and whether it is met. */
function grid({ columns, rows }) {
  if (!rows.some(({ goal }) => goal)) return [columns, ...rows.map(({ cells }) => cells.map(cellText))];
  return [
    [...columns, 'goal', 'met'],
    ...rows.map(({ cells, goal }) => [
      ...cells.map(cellText),
      ...(goal ? [goalText(goal), metText(goal, cells[goal.of])] : ['', '']),
    ]),
  ];
}

const noise = 'NOISY: the machine did other work meanwhile.';

function plainTable([head, ...body]) {
  const widths = head.map((_, column) => Math.max(...[head, ...body].map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd();
  return [line(head), widths.map((width) => '-'.repeat(width)).join('  '), ...body.map(line)].join('\n');
}

/** One section for a terminal. */
export const text = (section) =>
  [
    `## ${section.title}\n${section.command}: ${section.sizes}${section.noisy ? `\n${noise}` : ''}`,
    section.about,
    plainTable(grid(section)),
    ...(section.notes ?? []),
  ].join('\n\n');

const escaped = (cell) => cell.replaceAll('|', '\\|');
const markdownTable = ([head, ...body]) =>
  [head, head.map(() => '---'), ...body].map((row) => `| ${row.map(escaped).join(' | ')} |`).join('\n');

const markdownSection = (section) =>
  [
    `### ${section.title}`,
    ...(section.noisy ? [`**${noise}**`] : []),
    section.about,
    markdownTable(grid(section)),
    ...(section.notes ?? []),
    `\`${section.command}\`: ${section.sizes}.`,
  ].join('\n\n');

/** What a goal is for: `Command line: mkt --help, times node -e 0`. */
function subject(suite, { columns }, { cells, goal }) {
  const column = columns[goal.of];
  return `${suite}: ${cells[0]}${column === 'measured' ? '' : `, ${column}`}`;
}

/** Every goal of all sections, the missed ones first. */
function goalTable(suites) {
  const goals = suites
    .flatMap(({ title, sections }) =>
      sections.flatMap((section) =>
        section.rows
          .filter(({ goal }) => goal)
          .map((row) => ({
            what: subject(title, section, row),
            cell: row.cells[row.goal.of],
            goal: row.goal,
            noisy: section.noisy,
          })),
      ),
    )
    .map((each) => ({ ...each, met: keeps(each.goal, each.cell) }));
  const rows = [...goals.filter(({ met }) => !met), ...goals.filter(({ met }) => met)].map(
    ({ what, cell, goal, noisy }) => [
      what,
      cellText(cell) + (noisy ? ', noisy' : ''),
      goalText(goal),
      metText(goal, cell),
    ],
  );
  const missed = goals.filter(({ met }) => !met).length;
  return `${goals.length - missed} of ${goals.length} goals are met${missed > 0 ? `; ${missed} missed, listed first` : ''}.

${markdownTable([['what', 'measured', 'goal', 'met'], ...rows])}`;
}

/** The whole document. `machine` is a list of name and value. */
export const document = ({ machine, suites }) =>
  `<!-- Written by \`npm run bench\`. Do not edit. -->

# Benchmarks

What the parts of this project cost compared with others that do similar work. In each table everything was measured in turns, in the same
minutes on the same machine: figures of one table may be compared, those of two runs or two machines may not. A figure is the median of its
rounds, with the lowest and the highest. Ratios are taken round by round.

\`npm run bench\` wrote this page; \`npm run bench -- <suite> [part]\` repeats one suite or one table.

${markdownTable([['machine', ''], ...machine])}

## Goals

${goalTable(suites)}

${suites.map(({ title, sections }) => `## ${title}\n\n${sections.map(markdownSection).join('\n\n')}`).join('\n\n')}
`;
