// How sections look, in a terminal and on the page. A section is `{ title, about, sizes, columns, rows, command }`; a row is
// `{ cells, goal? }`, a cell a text, a number or a figure, a goal `{ of, atLeast | atMost }` for the cell at `of`, or for the
// highest of several.

/** `0.52 (0.49-0.55)`, `45 ms (44-48)`, or only the number if there is one round. */
function cellText(cell) {
  if (cell === null || typeof cell !== 'object') return String(cell ?? '');
  const { median, min, max, digits, unit } = cell;
  const [middle, low, high] = [median, min, max].map((value) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  );
  return `${middle}${unit && ` ${unit}`}${min === max ? '' : ` (${low}-${high})`}`;
}

/** A goal as two cells: what it is, and whether it is met. */
const goalCells = (goal, cell) => [
  goal.atLeast === undefined ? `at most ${goal.atMost}` : `at least ${goal.atLeast}`,
  (goal.atLeast === undefined ? cell.median <= goal.atMost : cell.median >= goal.atLeast) ? 'yes' : 'NO',
];

/** The number of the cell that the goal is for. */
const judged = ({ of }, cells) =>
  [of].flat().reduce((one, other) => (cells[other].median > cells[one].median ? other : one));

/** A Markdown table; aligned, for terminals. */
function table([head, ...body]) {
  const rows = [head, ...body].map((row) => row.map((cell) => cellText(cell).replaceAll('|', '\\|')));
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(rows[0]), line(widths.map((width) => '-'.repeat(width))), ...rows.slice(1).map(line)].join('\n');
}

function sectionTable({ columns, rows }) {
  if (!rows.some(({ goal }) => goal)) return table([columns, ...rows.map(({ cells }) => cells)]);
  const withGoal = ({ cells, goal }) => [...cells, ...(goal ? goalCells(goal, cells[judged(goal, cells)]) : ['', ''])];
  return table([[...columns, 'goal', 'met'], ...rows.map(withGoal)]);
}

export const sectionText = (section) =>
  [
    `### ${section.title}`,
    section.about,
    sectionTable(section),
    `\`${section.command}\`${section.sizes && `: ${section.sizes}`}.`,
  ].join('\n\n');

/** Every goal of all sections, the missed ones first. */
function goalTable(suites) {
  const goals = suites.flatMap(({ title, sections }) =>
    sections.flatMap(({ columns, rows }) =>
      rows
        .filter(({ goal }) => goal)
        .map(({ cells, goal }) => {
          const at = judged(goal, cells);
          const column = columns[at] === 'measured' ? '' : `, ${columns[at]}`;
          return [`${title}: ${cells[0]}${column}`, cells[at], ...goalCells(goal, cells[at])];
        }),
    ),
  );
  const missed = goals.filter(([, , , met]) => met === 'NO');
  const rows = [...missed, ...goals.filter((row) => !missed.includes(row))];
  return `${goals.length - missed.length} of ${goals.length} goals are met${missed.length > 0 ? `; ${missed.length} missed, listed first` : ''}.

${table([['what', 'measured', 'goal', 'met'], ...rows])}`;
}

/** The whole document. `machine` is a list of name and value. */
export const document = ({ machine, suites }) =>
  `<!-- Written by \`npm run bench\`. Do not edit. -->

# Benchmarks

The cost of each part of this project, compared with others that do similar work. All figures of a table were measured in turns, in the same
minutes on the same machine, and can be compared; figures of two runs or two machines cannot. A figure is the median of its rounds, with the
lowest and the highest. Ratios are calculated round by round.

\`npm run bench\` wrote this page; \`npm run bench -- <suite> [part]\` repeats one suite or one table.

${table([['machine', ''], ...machine])}

## Goals

${goalTable(suites)}

${suites.map(({ title, sections }) => `## ${title}\n\n${sections.map(sectionText).join('\n\n')}`).join('\n\n')}
`;
