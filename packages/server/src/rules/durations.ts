const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** The spellings of units. `m` is minutes or, of an age, months. */
const SPELLINGS: Readonly<Record<string, RegExp>> = {
  ms: /^ms$/,
  s: /^s(?:ec(?:ond)?s?)?$/,
  m: /^m$/,
  min: /^min(?:ute)?s?$/,
  h: /^h(?:(?:ou)?rs?)?$/,
  d: /^d(?:ays?)?$/,
  w: /^w(?:(?:ee)?ks?)?$/,
  mo: /^mo(?:nth)?s?$/,
};
/** The units in milliseconds. */
export const lengths: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: MINUTE,
  min: MINUTE,
  h: 60 * MINUTE,
  d: DAY,
  w: 7 * DAY,
};

/** A number and the unit after it, which is empty if there is none; undefined for other text. */
export function countOf(text: string): { readonly count: number; readonly unit: string } | undefined {
  const [, digits, word = ''] = /^(\d+(?:\.\d+)?) ?([a-z]*)$/.exec(text.trim().toLowerCase()) ?? [];
  const unit = word === '' ? '' : Object.keys(SPELLINGS).find((each) => SPELLINGS[each]?.test(word));
  return digits === undefined || unit === undefined ? undefined : { count: Number(digits), unit };
}
