/** How many letters differ between two words. */
function distance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] as number) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next[j] = Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1);
    }
    row = next;
  }
  return row[right.length] as number;
}

const normalized = (name: string): string => name.toLowerCase().replaceAll(/[^a-z]/g, '');

/** Names of other clients for the same. */
const synonyms: Readonly<Record<string, string>> = {
  apikey: 'token',
  accesstoken: 'token',
  url: 'baseUrl',
  host: 'baseUrl',
  endpoint: 'baseUrl',
  attempts: 'retry',
  abortsignal: 'signal',
};

/** The known name that was probably meant. */
function suggest(name: string, known: readonly string[]): string | undefined {
  const given = normalized(name);
  const synonym = synonyms[given];
  if (synonym !== undefined && known.includes(synonym)) return synonym;
  const ranked = known
    .map((candidate) => ({ candidate, differs: distance(given, normalized(candidate)) }))
    .sort((left, right) => left.differs - right.differs);
  const [best] = ranked;
  if (best && best.differs <= Math.max(1, given.length / 3)) return best.candidate;
  return known.find((candidate) => given.length > 3 && given.includes(normalized(candidate).slice(0, 4)));
}

/** What to say about an unknown option. */
export function unknownOption(name: string, known: readonly string[]): string {
  const suggestion = suggest(name, known);
  const help = suggestion === undefined ? `Known are ${known.join(', ')}.` : `Did you mean ${suggestion}?`;
  return `There is no option ${name}. ${help}`;
}
