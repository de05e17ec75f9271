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

/** Each two letters in a row. */
function pairsOf(name: string): string[] {
  const letters = normalized(name);
  return Array.from(letters.slice(1), (second, index) => `${letters[index]}${second}`);
}

/** What to say about an unknown option: the known one that was probably meant has most pairs of letters in common. */
export function unknownOption(name: string, known: readonly string[]): string {
  const given = pairsOf(synonyms[normalized(name)] ?? name);
  const [best] = known
    .map((candidate) => {
      const pairs = pairsOf(candidate);
      const common = given.filter((pair) => pairs.includes(pair)).length;
      return { candidate, likeness: common / (given.length + pairs.length) };
    })
    .sort((left, right) => right.likeness - left.likeness);
  const help = best && best.likeness > 0.22 ? `Did you mean ${best.candidate}?` : `Known are ${known.join(', ')}.`;
  return `There is no option ${name}. ${help}`;
}
