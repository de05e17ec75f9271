import type { Issue } from '../errors.js';
import type { Shape } from './operation.js';

type Path = readonly (string | number)[];

/** A type expression, ready to be held against values. */
interface Check {
  matches: (value: unknown) => boolean;
  /** Adds where a value that does not match differs. */
  explain: (value: unknown, path: Path, issues: Issue[]) => void;
}

const kind = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
};

const isObject = (value: unknown): value is Record<string, unknown> => kind(value) === 'object';

/** One alternative of a type expression. */
function alternative(type: string): Check['matches'] {
  if (type.startsWith('"')) {
    const known: unknown = JSON.parse(type);
    return (value) => value === known;
  }
  if (type === 'integer') return Number.isSafeInteger;
  if (type === 'null') return (value) => value === null;
  // Primitives alone are left: objects and arrays have no name in a type expression.
  return (value) => typeof value === type;
}

function listCheck(expected: string): Check {
  const item = typeCheck(expected.slice(0, -2));
  return {
    matches: (value) => Array.isArray(value) && value.every(item.matches),
    explain: (value, path, issues) => {
      if (!Array.isArray(value)) issues.push({ path, expected, received: kind(value) });
      else
        for (const [index, one] of value.entries()) if (!item.matches(one)) item.explain(one, [...path, index], issues);
    },
  };
}

function typeCheck(expected: string): Check {
  if (expected.endsWith('[]')) return listCheck(expected);
  const alternatives = expected.split('|').map(alternative);
  const [only] = alternatives;
  return {
    // Every field of every answer comes by here: most have one alternative, which then needs no loop.
    matches: only && alternatives.length === 1 ? only : (value) => alternatives.some((matches) => matches(value)),
    explain: (value, path, issues) => {
      // Of values only the names outside a known set are told, since answers may hold secrets.
      const isName = typeof value === 'string' && expected.startsWith('"');
      issues.push({ path, expected, received: isName ? JSON.stringify(value.slice(0, 80)) : kind(value) });
    },
  };
}

function objectCheck(shape: Shape): Check {
  const fields = Object.entries(shape).map(([key, type]) => {
    const name = key.replace('?', '');
    const check = typeof type === 'string' ? typeCheck(type) : objectCheck(type);
    const matches = name === key ? check.matches : (value: unknown) => value === undefined || check.matches(value);
    return { name, matches, check };
  });
  return {
    matches: (value) => isObject(value) && fields.every(({ name, matches }) => matches(value[name])),
    explain: (value, path, issues) => {
      if (!isObject(value)) {
        issues.push({ path, expected: 'object', received: kind(value) });
        return;
      }
      for (const { name, matches, check } of fields)
        if (!matches(value[name])) check.explain(value[name], [...path, name], issues);
    },
  };
}

const checks = new WeakMap<Shape, Check>();

/** Where a value differs from a shape. Fields that the shape does not name are no difference. */
export function differences(shape: Shape, value: unknown, path: Path = []): Issue[] {
  let check = checks.get(shape);
  if (!check) {
    check = objectCheck(shape);
    checks.set(shape, check);
  }
  const issues: Issue[] = [];
  if (!check.matches(value)) check.explain(value, path, issues);
  return issues;
}
