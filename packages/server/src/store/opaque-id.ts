/** Letters and digits that are not mistaken for each other. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const digits = 10;
const length = 12;

/** The id for these bytes. It begins with a letter, so that no program reads it as a number. */
const idOf = (bytes: ArrayLike<number>): string =>
  Array.from({ length }, (_, at) => {
    const byte = bytes[at] ?? 0;
    return alphabet[at === 0 ? digits + (byte % (alphabet.length - digits)) : byte % alphabet.length];
  }).join('');

export const randomId = (): string => idOf(crypto.getRandomValues(new Uint8Array(length)));

/** The same id for the same text each time: for the rows of the demo data. @param digest in hex */
export const idOfDigest = (digest: string): string =>
  idOf(Array.from({ length }, (_, at) => Number.parseInt(digest.slice(2 * at, 2 * at + 2), 16)));
