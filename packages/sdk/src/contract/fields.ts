import * as z from 'zod/mini';
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

const isLongerThan = (text: string, max: number): boolean => {
  if (text.length <= max) return false;
  // A code point takes at most two units, so a very long text need not be counted.
  if (text.length > 2 * max) return true;
  let count = 0;
  for (const _ of text) count += 1;
  return count > max;
};

/** Has JSON Schema publish `maxLength` or `minLength` for a check that zod knows no keyword for. */
const publishing = <Check extends z.core.$ZodCheck<string>>(
  limit: { readonly maximum: number } | { readonly minimum: number },
  check: Check,
): Check => {
  check._zod.onattach.push((schema) => {
    Object.assign(schema._zod.bag, limit);
  });
  return check;
};

/** The checks after it do not look at a text that is too long. */
const textLimit = (max: number, isWithin: (text: string) => boolean, error: string) =>
  publishing({ maximum: max }, z.refine<string>(isWithin, { error, abort: true }));

export const isBlank = (text: string): boolean => text.trim() === '';

/** Stores cannot hold NUL and lone surrogates. */
const isStorable = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text);

const isWebAddress = (text: string): boolean => {
  if (!/^https?:\/\/[^/\s]/i.test(text) || /\s/.test(text)) return false;
  return URL.canParse(text);
};

/** Text of at most `max` code points, 255 where the document names no other bound. */
export const text = (max: number = limits.text) =>
  z.string().check(
    textLimit(max, (value) => !isLongerThan(value, max), `must be at most ${max} characters long`),
    z.refine(isStorable, 'must not contain NUL characters or half of a surrogate pair'),
  );

/** Text that must hold more than white space (blank counts as empty). */
export const filled = (max?: number) =>
  text(max).check(
    publishing(
      { minimum: 1 },
      z.refine<string>((value) => !isBlank(value), 'must not be blank'),
    ),
  );

/** An http or https address; blank counts as none. */
export const webAddress = () =>
  text().check(
    z.refine(
      (value) => isBlank(value) || isWebAddress(value),
      'must be an http or https address, such as https://example.com',
    ),
  );

export const filledWebAddress = () =>
  filled().check(
    z.refine((value) => isWebAddress(value), 'must be an http or https address, such as https://example.com'),
  );

/** Rich text: at most 64 KiB in UTF-8. The server removes unsafe markup. */
export const richText = () =>
  z.string().check(
    textLimit(
      limits.richText,
      (value) => value.length <= limits.richText && new TextEncoder().encode(value).length <= limits.richText,
      'must be at most 64 KiB long',
    ),
    z.refine(isStorable, 'must not contain NUL characters or half of a surrogate pair'),
  );

/** An amount: an integer from 0 to 2^53-1, no unit, no scale. */
export const amount = () =>
  z
    .int({
      error: ({ code }) => (code === 'too_big' ? `must be at most ${Number.MAX_SAFE_INTEGER}` : 'must be an integer'),
    })
    .check(z.minimum(0, 'must be 0 or more'));

/** `ugc`, `product`, `youtube`: any lowercase slug. */
export const slug = <const Value extends string>(..._known: readonly Value[]) =>
  filled().check(
    z.regex(/^[a-z0-9]+([_-][a-z0-9]+)*$/, 'must be lowercase letters, digits, - and _, such as product or tiktok'),
  ) as unknown as z.ZodMiniType<Open<Value>, Open<Value>>;

const list = <Element extends z.ZodMiniType>(element: Element, max: number) =>
  z.array(element).check(z.maxLength(max, { error: `must be a list of at most ${max} values`, abort: true }));

const unique = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

export const slugs = <const Value extends string>(...known: readonly Value[]) =>
  list(slug(...known), limits.platforms).check(z.refine(unique, 'must not name anything twice'));

/** A list of at most `most` texts of at most `max` code points, such as tags. Forms, flags and CSV separate them by commas or semicolons, so no text contains one. */
export const texts = (most: number = limits.texts, max?: number) =>
  list(
    filled(max).check(
      z.refine((value) => !/[,;\r\n]/.test(value), 'must not contain a comma, semicolon or line break'),
    ),
    most,
  ).check(z.refine(unique, 'must not contain anything twice'));

/** A time, as responses have it. */
export const time = () =>
  z.string().check(
    publishing(
      { maximum: 20 },
      z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, {
        error: 'must be a time in UTC, such as 2026-06-01T12:00:00Z',
        abort: true,
      }),
    ),
    z.refine((value) => isTime(value), 'must be a time that exists'),
  );
/** `new Date` changes February 30 to March 2. */
const isTime = (value: string): boolean => new Date(value).toJSON()?.startsWith(value.slice(0, 19)) === true;

/** Only the form; the server knows which codes exist. */
export const currencyCode = () =>
  z
    .string()
    .check(
      publishing(
        { maximum: 3 },
        z.regex(/^[a-z]{3}$/, 'must be a three-letter currency code in lowercase, such as usd'),
      ),
    );
export const countryCode = () =>
  z.string().check(publishing({ maximum: 2 }, z.regex(/^[A-Z]{2}$/, 'must be a two-letter country code, such as US')));
export const countryCodes = () =>
  list(countryCode(), limits.countries).check(z.refine(unique, 'must not name a country twice'));

/** The message for a wrong type, where the contract has none of its own. */
export const INVALID_INPUT = 'Invalid input';
/** For `safeParse`: keeps that message in programs that have set a locale of zod, as loading `zod` itself does. */
export const ownMessages = { error: () => INVALID_INPUT };

export const purge = z.optional(z.unknown()) as unknown as z.ZodMiniOptional<z.ZodMiniType<Purge, Purge>>;
export const isPurge = (value: unknown): value is Purge => value === '1' || value === 1 || value === true;
