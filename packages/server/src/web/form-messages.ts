import {
  type FieldKinds,
  hasKind,
  kindsOf,
  type RequestBody,
  type ResourceDescription,
  resources,
} from '@mkt/sdk/contract';
import { fieldKind } from '../http/field-kind.js';
import { typedParts } from '../http/form-fields.js';
import type { Problem as Rejection } from '../http/problems.js';
import { countryCodes, platformNames } from '../rules/codes.js';
import { fieldsOf } from '../rules/fields.js';
import { type Problem, type Problems, sentenceOf, sentencesOf } from '../rules/problems.js';
import type { Values } from './form-values.js';
import { countryName } from './pages/countries.js';
import { titleOf } from './pages/values.js';

const states = Object.values<ResourceDescription>(resources).flatMap(({ states }) => states?.names ?? []);
const statesOfWords = new RegExp(`\\b(${states.filter((state) => state.includes('_')).join('|')})\\b`, 'g');

/** A message of the API as pages say it: they call an organization a brand, and show states without underscores. */
export const inWordsOfPages = (text: string): string =>
  text
    .replace(statesOfWords, (state) => state.replaceAll('_', ' '))
    .replace(
      /\b(an? )?(o)rganization/gi,
      (_, article: string | undefined, first: string) =>
        `${article ? `${article[0]} ` : ''}${first === 'O' ? 'B' : 'b'}rand`,
    );

export const reasonsOf = ({ error }: Pick<Rejection, 'error'>): string[] =>
  (typeof error === 'string' ? [error] : Object.values(sentencesOf(error)).flat()).map(inWordsOfPages);

/** What is wrong with each field, in sentences. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

const quoted = new Intl.ListFormat('en-GB', { type: 'conjunction' });

/** The problems in words for people: they name the wrong value, and say what to type instead. */
export function messagesForPeople({ fields }: RequestBody, values: Values, problems: Problems): FieldErrors {
  const shape = fieldsOf(fields);
  const kinds = kindsOf(fields);
  const messages = Object.entries(problems).map(([name, own]): [string, readonly string[]] => {
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    const text = values[name] ?? '';
    const { kind } = schema ? fieldKind(schema) : { kind: 'text' };
    const wrong =
      schema && kind === 'list'
        ? typedParts(kinds, name, schema, text).flatMap(({ typed, isValid }) => (isValid ? [] : typed))
        : [text.trim()].filter(Boolean);
    const blank = own.filter(({ code }) => code === 'blank');
    const shown = blank.length > 0 ? blank : own;
    return [name, [...new Set(shown.map((problem) => plainMessage(kinds, name, wrong, problem)))]];
  });
  return Object.fromEntries(messages);
}

/** The beginning of a text that is shown whole in its field. */
const clipped = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}...` : text);

function plainMessage(kinds: FieldKinds, name: string, wrong: readonly string[], problem: Problem): string {
  const isOne = wrong.length === 1;
  const these = `${quoted.format(wrong.map((text) => `"${clipped(text)}"`))} ${isOne ? 'is' : 'are'} not`;
  const code = problem.code === 'unknown_code' ? (`not_${problem.kind}` as const) : problem.code;
  if (code === 'not_integer')
    return wrong.length > 0
      ? `${these} a whole number. Write it without decimals and letters, such as 500 or 1,000.`
      : `${titleOf(name)} is required. Type a whole number, such as 500.`;
  switch (wrong.length > 0 && code) {
    case 'not_country': {
      const [first = ''] = wrong;
      const longer = countryCodes.filter((code) =>
        countryName(code).toLowerCase().startsWith(`${first.toLowerCase()} `),
      );
      const examples = longer.slice(0, 3).map((code) => `${countryName(code)} (${code})`);
      const such = examples.length > 0 ? examples.join(' or ') : 'Germany or DE';
      return `${these} ${isOne ? 'a country' : 'countries'}. Type names or two-letter codes, such as ${such}.`;
    }
    case 'not_currency':
      return `${these} a currency. Type its three-letter code, such as EUR.`;
    case 'not_slug': {
      const examples = hasKind(kinds, name, 'platform') ? Object.values(platformNames).join(' or ') : 'product';
      return `${these} possible here. Use letters, digits and hyphens, such as ${examples}.`;
    }
    case 'not_url':
      return `${these} a web address. Type one such as acme.example or https://acme.example/sale.`;
    case 'too_large': {
      const image = wrong[0]?.includes('data:image/') ? ' Most of it may be an image in its text: remove it.' : '';
      return sentenceOf(problem, titleOf(name)) + image;
    }
    default:
      return inWordsOfPages(sentenceOf(problem, problem.code === 'unreadable' ? 'This page' : titleOf(name)));
  }
}
