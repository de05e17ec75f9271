import { stripVTControlCharacters } from 'node:util';

/** Control characters except the line break and the tab. */
const CONTROLS = /[^\P{Cc}\t\n]/gu;
/** Invisible characters, and those that change the text direction. */
const MARKS = /[\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

/** Makes text of the service safe for a terminal, because anyone can write names and briefs. Line breaks and tabs stay. */
export const sanitize = (text: string): string =>
  stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(MARKS, '').replace(CONTROLS, '');

/** The same on one line, for table cells and names in messages. */
export const sanitizeLine = (text: string): string => sanitize(text).replace(/\s+/g, ' ').trim();

/**
 * Text without what CSV and TSV cannot hold: control characters, which a terminal would obey when the file is shown, and
 * lone surrogates.
 */
export const withoutControls = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/[^\P{Cc}\t\n\r]/gu, '')
    .replace(/\p{Surrogate}/gu, '\ufffd');
