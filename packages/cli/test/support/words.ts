/** A shell line as its words: quotes are taken away, nothing else is interpreted. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (const match of line.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)) {
    words.push(
      match[0].replaceAll(
        /'([^']*)'|"([^"]*)"/g,
        (_whole, single: string | undefined, double: string | undefined) => single ?? double ?? '',
      ),
    );
  }
  return words;
}
