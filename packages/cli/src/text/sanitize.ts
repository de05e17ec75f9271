import { stripVTControlCharacters } from 'node:util';

/** Control characters except the line break and the tab. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;
/** Invisible marks, and those that turn the direction of the rest of the line around. */
const MARKS = /[\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Text of the service made harmless for a terminal: strangers write names and briefs. Line breaks and tabs stay. */
export const sanitize = (text: string): string =>
  stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(MARKS, '').replace(CONTROLS, '');

/** The same on one line: a cell of a table, a name within a sentence. */
export const sanitizeLine = (text: string): string => sanitize(text).replace(/\s+/g, ' ').trim();
