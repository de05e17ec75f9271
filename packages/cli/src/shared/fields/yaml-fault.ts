/** What the YAML parser says, in words for somebody who wrote the file, and perhaps wrote it in JSON; a sentence. */
export const yamlFault = (message: string): string =>
  message
    .replace(/^Flow \w+.* must .*end with a (.)$/, 'a $1 is missing, or a line is not indented enough')
    .replace(/^Missing closing (.*)quote$/, 'a quote ($1) is opened here and never closed')
    .replace(/^Missing , (or : )?between flow .*/, 'a comma is missing before this')
    .replace(/^(Plain value cannot start with .*)$/, '$1: put it in quotes')
    .replace(
      /^Nested mappings are not allowed in .*/,
      'text with a colon in it has to be in quotes, or a line is indented too far',
    )
    .replace(/\.?$/, '.');
