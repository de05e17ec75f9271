/** Characters that are invisible, or that change how other ones are shown or where lines end. */
const HIDDEN =
  /(?!(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{DI}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu;

/** Accents of one letter after the fourth: more of them cover other lines. */
const PILED = /(?<=\p{M}{4})\p{M}/gu;

/** The host of a URL or of an e-mail address, in which letters of other alphabets can look like those of another host. */
const HOST = /(?<=\/\/|@)[^\s/?#"'<>]+/gu;
const BEYOND_ASCII = /[^\x20-\x7e]/gu;

/** Letters that look like Latin ones. */
const LOOKALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}]/gu;

export const escapedCharacter = (character: string): string => {
  const known = { '\t': '\\t', '\n': '\\n', '\r': '\\r' }[character];
  const code = character.codePointAt(0) ?? 0;
  return known ?? (code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`);
};

/**
 * A line with what cannot be seen as an escape: a person reads what is stored. Words that mix alphabets look like others; runs
 * of spaces could push the rest to the start of a line, or vanish.
 */
export const withEscapes = (line: string): string =>
  line
    .replace(/[\p{L}\p{M}]+/gu, (word) =>
      /\p{Script=Latin}/u.test(word) ? word.replace(LOOKALIKE, escapedCharacter) : word,
    )
    .replace(HIDDEN, escapedCharacter)
    .replace(PILED, escapedCharacter)
    .replace(HOST, (host) => host.replace(BEYOND_ASCII, escapedCharacter))
    .replace(/ {2,}/g, (spaces) => '\\u0020'.repeat(spaces.length));
