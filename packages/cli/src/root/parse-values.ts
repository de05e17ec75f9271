import type { Flag } from '../context/flags.js';
import { toType, usageError } from '../errors/cli-error.js';
import { didYouMean, nearest } from '../text/nearest.js';

const INTEGER = /^-?\d+$/;

const integer = (text: string, flag: Flag): number => {
  const value = Number(text);
  if (INTEGER.test(text.trim()) && Number.isSafeInteger(value)) return value;
  throw usageError((named) => `${named(flag.name)} takes a whole number, not "${text}".`);
};

/** Converts seconds, or a number with a unit (`30`, `1.5s`, `500ms`, `2m`), to milliseconds. */
const milliseconds = (text: string, flag: Flag): number => {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text.trim());
  const factor = { ms: 1, s: 1000, m: 60_000 }[(match?.[2] ?? 's') as 'ms' | 's' | 'm'];
  const value = Number(match?.[1]) * factor;
  if (value > 0) return value;
  throw usageError((named) => `${named(flag.name)} takes seconds, such as 30 or 500ms, not "${text}".`);
};

const oneOf = (text: string, flag: Flag): string => {
  const { choices } = flag;
  if (choices === undefined || choices.includes(text)) return text;
  const question = didYouMean(nearest(text, choices));
  throw usageError(
    (named) => `${named(flag.name)} takes one of ${choices.join(', ')}, not "${text}".${question}`,
    ...(flag.name === 'format' && text === 'xlsx' ? [toType('--out FILE.xlsx', 'To write a workbook')] : []),
  );
};

/** Clears a field. An empty value does not, because it is usually a variable that was not set: `--countries "$COUNTRIES"`. */
const NONE = 'none';

function checkGiven({ name, clearable, kind }: Flag, text: string): void {
  const value = kind === 'list' ? text.replaceAll(',', '') : text;
  if (value.trim() !== '') return;
  throw usageError(
    (named) => `${named(name)} is empty.`,
    ...(clearable ? [toType(`--${name} ${NONE}`, 'To clear it')] : []),
  );
}

/**
 * The value of a flag from its text; `previous` is the value of an earlier flag of the same name.
 * @throws a usage error if the flag does not accept it
 */
export function parseValue(flag: Flag, text: string, previous: unknown): unknown {
  checkGiven(flag, text);
  if (flag.clearable && text.trim().toLowerCase() === NONE) return flag.kind === 'list' ? [] : null;
  switch (flag.kind) {
    case 'integer':
      return integer(text, flag);
    case 'seconds':
      return milliseconds(text, flag);
    case 'list': {
      const values = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [oneOf(part.trim(), flag)]));
      return [...(Array.isArray(previous) ? (previous as unknown[]) : []), ...values];
    }
    case 'text':
    case 'path': {
      const value = oneOf(text, flag);
      return flag.repeatable === true ? [...(Array.isArray(previous) ? (previous as unknown[]) : []), value] : value;
    }
    case 'switch':
    case 'boolean':
      throw new Error(`--${flag.name} takes no value.`);
  }
}
