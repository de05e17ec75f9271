// A terminal's screen as a picture: text with its colours, each run of characters held to its columns, so that tables stay straight in
// whatever monospaced font a reader has. It follows the reader's light or dark theme.

/** Columns are this wide and lines this high, for 14 px letters. */
const COLUMN = 8.4;
const LINE = 20;
const SIDE = 20;
const TOP = 48;

/** What the codes of SGR do to a style. Others are unknown here: a new one is a reason to look at the picture. */
const effects = new Map([
  [0, () => ({})],
  [1, (style) => ({ ...style, weight: 'bold' })],
  [2, (style) => ({ ...style, weight: 'dim' })],
  [22, ({ weight: _, ...style }) => style],
  ...['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'].map((name, index) => [
    31 + index,
    (style) => ({ ...style, colour: name }),
  ]),
  [39, ({ colour: _, ...style }) => style],
]);

const codes = new RegExp(`${String.fromCharCode(27)}\\[([0-9;]*)m`);

/** A line as runs of one style each. */
function runsOf(line) {
  const runs = [];
  let [style, column] = [{}, 0];
  for (const [index, part] of line.split(codes).entries()) {
    if (index % 2 === 1) {
      for (const code of part.split(';').map(Number)) {
        const effect = effects.get(code);
        if (!effect) throw new Error(`The picture of the terminal knows no SGR ${code}.`);
        style = effect(style);
      }
      continue;
    }
    if (/[^\x20-\x7e…]/.test(part)) throw new Error(`The image supports only characters of one column: ${part}`);
    // Blanks are left out: a run begins at its first letter.
    for (const { 0: text, index: at } of part.matchAll(/\S+(?: \S+)*/g))
      runs.push({ ...style, text, column: column + at });
    column += [...part].length;
  }
  return runs;
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const rounded = (number) => Number(number.toFixed(1));

const css = `
    .screen { fill: #ffffff; stroke: #d0d7de } .bar { fill: #d0d7de }
    text { fill: #1f2328; font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace }
    .dim { fill: #59636e } .bold { font-weight: bold } .typed { font-weight: bold }
    .red { fill: #cf222e } .green { fill: #116329 } .yellow { fill: #7d4e00 } .blue { fill: #0550ae } .magenta { fill: #8250df } .cyan { fill: #1b7c83 }
    @media (prefers-color-scheme: dark) {
      .screen { fill: #0d1117; stroke: #30363d } .bar { fill: #30363d }
      text { fill: #e6edf3 } .dim { fill: #9198a1 }
      .red { fill: #ff7b72 } .green { fill: #56d364 } .yellow { fill: #e3b341 } .blue { fill: #79c0ff } .magenta { fill: #d2a8ff } .cyan { fill: #56d4dd }
    }
  `;

/**
 * @param {object} screen
 * @param {number} screen.columns
 * @param {string} screen.title For those who cannot see it.
 * @param {readonly { typed?: string, line?: string }[]} screen.lines What was typed, and what was printed, with its colour codes.
 */
export function terminalSvg({ columns, title, lines }) {
  const width = rounded(columns * COLUMN + 2 * SIDE);
  const height = TOP + lines.length * LINE + SIDE;
  const text = ({ column, text: words, weight, colour, kind }, y) => {
    const classes = [weight, colour, kind].filter(Boolean).join(' ');
    const box = `x="${rounded(SIDE + column * COLUMN)}" y="${y}" textLength="${rounded([...words].length * COLUMN)}"`;
    return `  <text ${box}${classes ? ` class="${classes}"` : ''} xml:space="preserve">${escaped(words)}</text>`;
  };
  const rows = lines.flatMap(({ typed, line }, index) => {
    const y = TOP + index * LINE + 14;
    const runs =
      typed === undefined
        ? runsOf(line ?? '')
        : [
            { text: '$', column: 0, weight: 'dim' },
            { text: typed, column: 2, kind: 'typed' },
          ];
    return runs.map((run) => text(run, y));
  });
  const dots = [20, 40, 60].map((x) => `<circle class="bar" cx="${x}" cy="20" r="6"/>`).join('');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `  <title>${escaped(title)}</title>`,
    `  <style>${css}</style>`,
    `  <rect class="screen" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>${dots}`,
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}
