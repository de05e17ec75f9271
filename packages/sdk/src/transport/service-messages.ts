// Everything that reads sentences of a service. The API does not define the shape or the wording of its errors, so nothing else
// may depend on them.

/** The sentences in a value: a string, a list of them, or objects that hold one. Deeper levels than usual are ignored. */
export function sentencesIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  if (typeof value !== 'object' || depth > 8) return [];
  if (Array.isArray(value)) return value.flatMap((one) => sentencesIn(one, depth + 1));
  const { message, detail, title } = Object(value) as Record<string, unknown>;
  return sentencesIn(message ?? detail ?? title ?? Object.values(value ?? {}), depth + 1);
}

/** What a body that is not JSON says: a proxy's page by its title, or plain text. */
export function sentenceInText(text: string): string | undefined {
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1]?.trim();
  return /<[a-z!/]/i.test(text) ? title : text.trim().slice(0, 300);
}

/** A message that begins in lower case continues the name of its field: `can't be blank`. */
export const withField = (field: string, message: string): string =>
  field === 'base' || !/^[a-z]/.test(message) ? message : `${field} ${message}`;

/** What a message says of its field, to be shown next to the name: `must be positive` for `Cpm amount must be positive`. */
export function withoutField(field: string, message: string): string {
  const words = field.replaceAll('_', ' ').toLowerCase();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors of a terminal, around the name.
  const plain = message.replaceAll(/\u001b\[[\d;]*m/g, '');
  for (const name of [words, words.replace(/ ids?$/, '')]) {
    const rest = plain.slice(name.length);
    if (plain.toLowerCase().startsWith(name) && /^ [a-z]/.test(rest)) return rest.trimStart();
  }
  return message;
}

/** Control characters could change the terminal that prints the message; a proxy's title repeats the status. */
export const joined = (messages: readonly string[], status: number): string =>
  messages
    .join(' ')
    .replace(/\p{Cc}+/gu, ' ')
    .replace(`${status} `, '');

/** Whether the service says itself what a 401, 403 or 404 means, rather than only that it is one. */
export const explainsItself = (status: number, said: string): boolean =>
  // Some services repeat only the status, in as many words: `Not authorized to do this.`
  status === 401 ? /token is (missing|unknown|read-only)/.test(said) : /\S\s+\S+\s+\S/.test(said);

/** Whether the service says itself how long to wait. */
export const namesWait = (said: string, seconds: number): boolean => new RegExp(`\\b${seconds}\\b`).test(said);

export const endsSentence = (said: string): boolean => /[.!?]$/.test(said);
