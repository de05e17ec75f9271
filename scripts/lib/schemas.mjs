// Types and limits of fields in words, for the reference.

/** A JSON Schema's type in words. */
export function typeOf({ type, enum: values, items, anyOf, format }) {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (anyOf) return [...new Set(anyOf.map(typeOf))].join(' or ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ type: each, items, format })).join(' or ');
  if (type === 'array') return `list of ${typeOf(items)}`;
  if (type === 'string') return { uri: 'URL', 'date-time': 'timestamp' }[format] ?? 'string';
  return type ?? 'any';
}

const everyText = 'must not contain NUL characters or half of a surrogate pair';

/** What the checks of a field say when they refuse, as the rules that they are. */
function rulesOf(schema) {
  const { checks = [], innerType, element } = schema._zod.def;
  const own = checks.map((check) => check._zod.def.error?.({})).filter((text) => text && text !== everyText);
  return [...own, ...(innerType ? rulesOf(innerType) : []), ...(element ? rulesOf(element) : [])];
}
const spoken = (rule) =>
  rule
    .replace(/^must (not be |be )?/, (_, be) => (be === 'not be ' ? 'not ' : ''))
    .replace(/ long$/, '')
    // As code: readers' software would make links of them.
    .replace(/https?:\/\/\S+|\S+@\S+/g, '`$&`');

/** The limits of a field as one text: `at most 255 characters; not blank`. @param schema A schema of zod. */
export const limitsOf = (schema) => [...new Set(rulesOf(schema).map(spoken))].join('; ');

export const isOptional = (schema) => schema._zod.def.type === 'optional';

/** What a field may be, for tables without a column of types: `required; an integer; 1 or more`. @param schema A schema of zod. */
export function expectedOf(schema) {
  let inner = schema;
  while (inner._zod.def.innerType) inner = inner._zod.def.innerType;
  const { type, error } = inner._zod.def;
  const told = error?.({});
  const own =
    typeof told === 'string' ? spoken(told) : { string: 'text', array: 'a list', boolean: 'true or false' }[type];
  return [...(isOptional(schema) ? [] : ['required']), own, limitsOf(schema)].filter(Boolean).join('; ');
}
