/** What the YAML parser says, in words for somebody who wrote the file, and perhaps wrote it in JSON; a sentence. */
export const yamlFault = (message: string): string =>
  message
    .replace(/^Source contains multiple documents.*/, 'a second document begins here, and one alone is read')
    .replace(/^Flow \w+.* must .*end with a (.)$/, 'a $1 is missing, or a line is not indented enough')
    .replace(/\.?$/, '.');
