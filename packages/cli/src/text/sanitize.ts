const ESC = '\\u001b';
/** Escape sequences that a terminal would obey: CSI; OSC and the other strings up to their end; two-character ones. */
const ESCAPES = new RegExp(
  [
    `(?:${ESC}\\[|\\u009b)[0-?]*[ -/]*[@-~]`,
    `(?:${ESC}[\\]PX^_]|[\\u0090\\u0098\\u009d\\u009e\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|${ESC}\\\\|\\u009c)?`,
    `${ESC}[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);
/** All other control characters but the line break and the tab. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;
/** Marks that turn the direction of the rest of the line around, and invisible ones. */
const BIDI = /[\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/**
 * Text of the service made harmless for a terminal: names and briefs are written by strangers. Line breaks and tabs
 * stay.
 */
export const sanitize = (text: string): string =>
  text.replaceAll('\r\n', '\n').replace(ESCAPES, '').replace(BIDI, '').replace(CONTROLS, '');

/** The same on one line: a cell of a table, a name within a sentence. */
export const sanitizeLine = (text: string): string => sanitize(text).replace(/\s+/g, ' ').trim();
