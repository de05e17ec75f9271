// The README's picture of a terminal: what the command line prints on 80 columns, with the reference server and its demo
// data. Each run of characters is held to its columns, so that tables stay straight in every monospaced font.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { fromSource } from '../lib/from-source.mjs';

export const output = 'docs/screens/terminal.svg';

/** The packages import generated files: it comes after them. */
export const readsOutputs = true;

const session = [
  'mkt campaigns list --sort -view_count --limit 5',
  'mkt campaigns create --name "Autumn glow" --countries US,CA --cpm-amount 700',
  'mkt campaigns publish 48 --yes',
  'mkt campaigns publish 15',
  'mkt campaigns list --status paused --format csv --fields name,unused_amount',
];
const columns = 80;
const now = new Date('2026-06-01T12:00:00Z');

/** What SGR codes do to the style. Others are unknown here: a new one is a reason to look at the picture. */
const effects = {
  0: { weight: '', color: '' },
  1: { weight: 'bold' },
  2: { weight: 'dim' },
  22: { weight: '' },
  39: { color: '' },
};
for (const [index, color] of ['red', 'green', 'yellow', 'blue', 'magenta', 'cyan'].entries())
  effects[31 + index] = { color };
const esc = String.fromCharCode(27);
const codes = new RegExp(`${esc}\\[([0-9;]*)m`);
/** On a slow machine the progress of a list shows, and is erased. */
const erased = new RegExp(`[^\\n]*${esc}\\[2K\\r?`, 'g');

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

/** What one command prints on a terminal, both streams as they come, in lines of runs with one style each. */
async function printed(run, typed, io) {
  const words = [...typed.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);
  const screen = new PassThrough();
  let text = '';
  screen.on('data', (part) => (text += part));
  const terminal = { stream: screen, isTTY: true, columns, rows: 40 };
  const print = (part) => screen.write(part);
  await run(words.slice(1), { ...io, stdout: terminal, stderr: terminal, print });
  return text.replace(erased, '').trimEnd().split('\n').map(runsOf);
}

function runsOf(line) {
  const runs = [];
  let [style, column] = [effects[0], 0];
  for (const [index, part] of line.split(codes).entries()) {
    if (index % 2 === 1) {
      for (const code of part.split(';').map(Number)) {
        if (!effects[code]) throw new Error(`The picture of the terminal does not know SGR ${code}.`);
        style = { ...style, ...effects[code] };
      }
      continue;
    }
    if (/[^\x20-\x7e…]/.test(part)) throw new Error(`The image supports only characters of one column: ${part}`);
    // Blanks are left out: a run begins at its first letter.
    for (const { 0: text, index: at } of part.matchAll(/\S+(?: \S+)*/g))
      runs.push({ text, column: column + at, style: [style.weight, style.color].filter(Boolean).join(' ') });
    column += [...part].length;
  }
  return runs;
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const rounded = (number) => Number(number.toFixed(1));

/** In pixels, for letters of 14. */
const [letter, lineHeight, side, top] = [8.4, 20, 20, 48];

function svg(lines) {
  const width = rounded(columns * letter + 2 * side);
  const height = top + lines.length * lineHeight + side;
  const texts = lines.flatMap((runs, index) =>
    runs.map(({ text, column, style }) => {
      const place = `x="${rounded(side + column * letter)}" y="${top + index * lineHeight + 14}"`;
      const box = `${place} textLength="${rounded([...text].length * letter)}"`;
      return `  <text ${box}${style ? ` class="${style}"` : ''} xml:space="preserve">${escaped(text)}</text>`;
    }),
  );
  const dots = [20, 40, 60].map((x) => `<circle class="bar" cx="${x}" cy="20" r="6"/>`).join('');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `  <title>A terminal: ${escaped(session.join('; '))}</title>`,
    `  <style>${css}</style>`,
    `  <rect class="screen" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>${dots}`,
    ...texts,
    '</svg>',
    '',
  ].join('\n');
}

export async function generate() {
  const { run, demoSeed, demoTokens, memoryStore, serve } = await fromSource(
    ...['cli/src/main.ts', 'server/src/index.ts', 'server/src/node/index.ts'].map((path) => `packages/${path}`),
  );
  const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0, clock: () => now.getTime() });
  const home = mkdtempSync(join(tmpdir(), 'mkt-terminal-'));
  const env = { MKT_BASE_URL: server.url, MKT_TOKEN: demoTokens.ada_write, MKT_ORG: '5', MKT_CONFIG_DIR: home };
  const stdin = { stream: Readable.from([]), isTTY: false };
  const interrupted = new AbortController().signal;
  const io = {
    env: { ...env, MKT_NO_KEYRING: '1' },
    cwd: home,
    home,
    platform: 'linux',
    stdin,
    now: () => now,
    interrupted,
  };
  try {
    const lines = [];
    for (const typed of session) {
      if (lines.length > 0) lines.push([]);
      lines.push([
        { text: '$', column: 0, style: 'dim' },
        { text: typed, column: 2, style: 'typed' },
      ]);
      lines.push(...(await printed(run, typed, io)));
    }
    return svg(lines);
  } finally {
    await server.close();
    rmSync(home, { recursive: true, force: true });
  }
}
