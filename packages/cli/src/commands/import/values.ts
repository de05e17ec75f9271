import type { FlagKind } from '../../context/command.js';

const WHOLE = /^[+-]?\d+$/;

/** What spreadsheets write for true and false. */
const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  false: false,
  yes: true,
  no: false,
  1: true,
  0: false,
};

/** What `mkt export` puts an apostrophe before; numbers have none (output/delimited.ts). */
const ESCAPED = /^'(?=[=+\-@\t\r])(?!'[+-]?\d+(\.\d+)?$)/;

/** A cell as its field takes it. What cannot be read stays text, and the contract says what is wrong with it. */
export function cellValue(text: string, kind: FlagKind, formulasEscaped: boolean): unknown {
  const bare = text.trim();
  if (kind === 'integer') return WHOLE.test(bare) && Number.isSafeInteger(Number(bare)) ? Number(bare) : text;
  if (kind === 'boolean') return booleans[bare.toLowerCase()] ?? text;
  if (kind === 'list') {
    return bare
      .split(/[,;]/)
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }
  return formulasEscaped ? text.replace(ESCAPED, '') : text;
}
