/** A line of the tour as its words, without `mkt`: quotes hold words together and are taken away. */
export function argvOf(line: string): string[] {
  const words = line.match(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g) ?? [];
  return words.slice(1).map((word) => word.replaceAll(/['"]/g, ''));
}
