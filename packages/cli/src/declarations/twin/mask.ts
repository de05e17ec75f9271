import { createHash } from 'node:crypto';

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

/** Replaces people in texts of the service. */
export interface Mask {
  readonly person: (person: Person) => Person;
  /** Text about the brand: full names and e-mail addresses are replaced. */
  readonly text: (text: string) => string;
  /** Text about people, such as "Ada's laptop": parts of names are replaced too. */
  readonly description: (text: string) => string;
  /** A code, such as `tiktok`: only secrets are replaced, since a member may be called TikTok. */
  readonly code: (code: string) => string;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Replaces whole phrases, in any letter case. Only the phrases whose first word is in a text are searched in it. */
function replacer(phrases: readonly (readonly [phrase: string, by: string])[]): (text: string) => string {
  const byFirstWord = new Map<string, { pattern: RegExp; by: string }[]>();
  // The longest first: "Ada Okafor" before "Ada".
  for (const [phrase, by] of phrases.toSorted(([one], [other]) => other.length - one.length)) {
    const [first] = wordsOf(phrase);
    if (first === undefined) continue;
    const escaped = phrase.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const pattern = new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'giu');
    byFirstWord.set(first, [...(byFirstWord.get(first) ?? []), { pattern, by }]);
  }
  return (text) =>
    [...new Set(wordsOf(text))]
      .flatMap((word) => byFirstWord.get(word) ?? [])
      .reduce((masked, { pattern, by }) => masked.replace(pattern, () => by), text);
}

/** The same name for the same user each time, so that two files can be compared. */
const maskedPerson = ({ id }: Person): Person => {
  const code = createHash('sha256').update(id).digest('hex').slice(0, 10);
  return { id, name: `Member ${code}`, email: `member-${code}@example.com` };
};

/** @param secrets Texts that are replaced even if names are kept: the token. */
export function maskFor(people: readonly Person[], secrets: readonly string[], keepNames: boolean): Mask {
  const hidden = secrets.map((secret) => [secret, '****'] as const);
  const masked = keepNames ? [] : people.map((person) => [person, maskedPerson(person)] as const);
  const whole = masked.flatMap(([{ name, email }, by]) => [[name, by.name] as const, [email, by.email] as const]);
  const parts = masked.flatMap(([{ name }, by]) =>
    (name.match(/[\p{L}\p{N}]{2,}/gu) ?? []).map((part) => [part, by.name] as const),
  );
  return {
    person: (person) => (keepNames ? person : maskedPerson(person)),
    text: replacer([...hidden, ...whole]),
    description: replacer([...hidden, ...whole, ...parts]),
    code: replacer(hidden),
  };
}
