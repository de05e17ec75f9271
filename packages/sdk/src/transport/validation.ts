import type { Issue } from '../errors.js';
import type { Shape } from './operation.js';

type Path = readonly (string | number)[];
type Check = (value: unknown, path: Path, issues: Issue[]) => void;

const kind = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
};

const isObject = (value: unknown): value is Record<string, unknown> => kind(value) === 'object';

/** One alternative of a type expression. */
const matcher = (type: string): ((value: unknown) => boolean) => {
  if (type.startsWith('"')) return (value) => value === JSON.parse(type);
  if (type === 'integer') return Number.isSafeInteger;
  return (value) => kind(value) === type;
};

/** What came instead; of values only the names outside a known set, since answers may hold secrets. */
const received = (expected: string, value: unknown): string =>
  typeof value === 'string' && expected.startsWith('"') ? JSON.stringify(value.slice(0, 80)) : kind(value);

function typeCheck(expected: string): Check {
  if (expected.endsWith('[]')) {
    const item = typeCheck(expected.slice(0, -2));
    return (value, path, issues) => {
      if (!Array.isArray(value)) issues.push({ path, expected, received: kind(value) });
      else for (const [index, one] of value.entries()) item(one, [...path, index], issues);
    };
  }
  const alternatives = expected.split('|').map(matcher);
  return (value, path, issues) => {
    if (!alternatives.some((matches) => matches(value)))
      issues.push({ path, expected, received: received(expected, value) });
  };
}

function objectCheck(shape: Shape): Check {
  const fields = Object.entries(shape).map(([key, type]) => {
    const name = key.replace('?', '');
    return { name, optional: name !== key, check: typeof type === 'string' ? typeCheck(type) : objectCheck(type) };
  });
  return (value, path, issues) => {
    if (!isObject(value)) {
      issues.push({ path, expected: 'object', received: kind(value) });
      return;
    }
    for (const { name, optional, check } of fields) {
      const field = value[name];
      if (field !== undefined || !optional) check(field, [...path, name], issues);
    }
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
  check(value, path, issues);
  return issues;
}
