import * as z from 'zod/mini';
import type { FieldProblem } from './problems.js';
import type { Open, Purge } from './types.js';

/** The names that the type of a response promises: without the index signature that lets unknown fields through. */
export type KnownFields<T> = { [K in keyof T as string extends K ? never : K]: T[K] };

/** A representation in a response. Fields that the contract does not name pass: the service may add some. */
export const representation = z.looseObject;

export const open = <const Value extends string>(
  ..._known: readonly Value[]
): z.ZodMiniType<Open<Value>, Open<Value>> => z.string() as unknown as z.ZodMiniType<Open<Value>, Open<Value>>;

/**
 * A set of values that the document lists completely, so that comparing with any other is a mistake. A client still reports
 * another value as a difference and returns it by default.
 */
export const listed = <const Value extends string>(...known: readonly Value[]): z.ZodMiniType<Value, Value> =>
  z.enum(known) as unknown as z.ZodMiniType<Value, Value>;

/** The position of every string that the service writes in ISO 8601, UTC, seconds. */
export const timestamp = z.string();
export const url = z.string();
/** The address of an item's own JSON representation. The server sets it; a field of another schema is content, whatever its name is. */
export const itemUrl = z.string();
/** A decimal in a string, so that no digit is lost. */
export const decimal = z.string();
export const id = z.union([z.int(), z.string()]);

/** Limits that the document leaves open: the server checks them and OpenAPI publishes them. */
export const limits = {
  /** Characters of a text, in code points. */
  text: 255,
  /** Bytes of rich text in UTF-8. */
  richText: 65_536,
  /** ISO 3166-1 has 249 countries. */
  countries: 250,
  platforms: 50,
  texts: 50,
} as const;

/** A code point takes at most two units, so a very long text need not be counted. */
const isLongerThan = (text: string, max: number): boolean =>
  text.length > max && (text.length > 2 * max || [...text].length > max);

/** A check whose issues have the problem as their `params`. JSON Schema publishes `limits`, which zod cannot know. */
export const check = <Value>(
  problem: FieldProblem,
  isValid: (value: Value) => boolean,
  { abort = false, ...limits }: { abort?: boolean; maximum?: number; minimum?: number; patterns?: Set<RegExp> } = {},
) => {
  const refined = z.refine<Value>(isValid, { params: problem, abort });
  refined._zod.onattach.push((schema) => {
    Object.assign(schema._zod.bag, limits);
  });
  return refined;
};

/** The checks after one that aborts do not look at the text. */
const matching = (problem: FieldProblem, pattern: RegExp, maximum?: number) =>
  check<string>(problem, (value) => pattern.test(value), {
    abort: true,
    patterns: new Set([pattern]),
    ...(maximum && { maximum }),
  });

/** Whether nothing of a text can be seen. */
export const isBlank = (text: string): boolean => !/[^\s\p{Default_Ignorable_Code_Point}]/u.test(text);

/** Stores cannot hold NUL and lone surrogates. */
const storable = () => check<string>({ code: 'unstorable' }, (text) => !/[\0\p{Surrogate}]/u.test(text));

const isWebAddress = (text: string): boolean => /^https?:\/\/[^/\s]\S*$/i.test(text) && URL.canParse(text);

/** Text of at most `max` code points, 255 where the document names no other bound. */
export const text = (max: number = limits.text) =>
  z.string().check(
    check({ code: 'too_long', max }, (value) => !isLongerThan(value, max), { abort: true, maximum: max }),
    storable(),
  );

/** Text that must hold more than white space (blank counts as empty). */
export const filled = (max?: number) =>
  text(max).check(check({ code: 'blank' }, (value) => !isBlank(value), { minimum: 1 }));

/** An http or https address; blank counts as none. */
export const webAddress = () =>
  text().check(check({ code: 'not_url' }, (value) => isBlank(value) || isWebAddress(value)));

export const filledWebAddress = () => filled().check(check({ code: 'not_url' }, isWebAddress));

/** Rich text: at most 64 KiB in UTF-8. The server removes unsafe markup. */
export const richText = () =>
  z.string().check(
    check(
      { code: 'too_large' },
      (value) => value.length <= limits.richText && new TextEncoder().encode(value).length <= limits.richText,
      { abort: true, maximum: limits.richText },
    ),
    storable(),
  );

/** An amount: an integer from 0 to 2^53-1, no unit, no scale. */
export const amount = () => z.int().check(z.minimum(0));

/** `ugc`, `product`, `youtube`: any lowercase slug. */
export const slug = <const Value extends string>(..._known: readonly Value[]) =>
  filled().check(matching({ code: 'not_slug' }, /^[a-z0-9]+([_-][a-z0-9]+)*$/)) as unknown as z.ZodMiniType<
    Open<Value>,
    Open<Value>
  >;

/** zod checks the length before the values, so that a long list is one problem and not one for each value. */
const list = <Element extends z.ZodMiniType>(element: Element, max: number) =>
  z.array(element).check(z.maxLength(max, { abort: true }));

const unique = (code: 'repeated_name' | 'repeated_text' | 'repeated_country') =>
  check<readonly unknown[]>({ code }, (values) => new Set(values).size === values.length);

export const slugs = <const Value extends string>(...known: readonly Value[]) =>
  list(slug(...known), limits.platforms).check(unique('repeated_name'));

/** A list of at most `most` texts of at most `max` code points, such as tags. Forms, flags and CSV separate them by commas or semicolons, so no text contains one. */
export const texts = (most: number = limits.texts, max?: number) =>
  list(filled(max).check(check({ code: 'separator' }, (value) => !/[,;\r\n]/.test(value))), most).check(
    unique('repeated_text'),
  );

/** A time, as responses have it. */
export const time = () =>
  z
    .string()
    .check(
      matching({ code: 'not_time' }, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 20),
      check({ code: 'no_such_time' }, isTime),
    );
/** There is no year 0. `new Date` changes February 30 to March 2. */
const isTime = (value: string): boolean =>
  value > '0001' && new Date(value).toJSON()?.startsWith(value.slice(0, 19)) === true;

/** Only the form; the server knows which codes exist. */
export const currencyCode = () => z.string().check(matching({ code: 'not_currency' }, /^[a-z]{3}$/, 3));
export const countryCode = () => z.string().check(matching({ code: 'not_country' }, /^[A-Z]{2}$/, 2));
export const countryCodes = () => list(countryCode(), limits.countries).check(unique('repeated_country'));

export const purge = () => z.optional(z.unknown()) as unknown as z.ZodMiniOptional<z.ZodMiniType<Purge, Purge>>;
export const isPurge = (value: unknown): value is Purge => value === '1' || value === 1 || value === true;
