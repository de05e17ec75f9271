import { isIPv4, isIPv6 } from 'node:net';

/**
 * Whether a Host header is a name or an IP address with an optional port. Not left to the URL parser, which differs
 * between versions of Node: every host that is valid here is one in all of them.
 */
export function isHost(text: string): boolean {
  const [, literal, name = '', port = '0'] = /^(?:\[([^\]]*)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (Number(port) > 65_535) return false;
  return literal === undefined ? isName(name) : isIPv6(literal) && !literal.includes('%');
}

/** A host name, perhaps with the dot of the root, or an IPv4 address. */
function isName(name: string): boolean {
  const labels = name.replace(/\.$/, '').split('.');
  // Parsers take a name for an IPv4 address if its last label is a number, also a hexadecimal one.
  if (/^(\d+|0x[\da-f]*)$/i.test(labels.at(-1) ?? '')) return isIPv4(name);
  return name.length <= 254 && labels.every(isLabel);
}

const isLabel = (label: string): boolean =>
  /^[\w-]{1,63}$/.test(label) && (!/^xn--/i.test(label) || isUnicode(label.slice(4).toLowerCase()));

const characters = /^(?!\p{M})[\p{Ll}\p{Lo}\p{Lm}\p{M}\p{Nd}\p{Extended_Pictographic}-]+$/u;

/** Whether this is the Punycode of lowercase letters, digits and emoji, some of them not ASCII. */
function isUnicode(code: string): boolean {
  const label = decodePunycode(code);
  return label !== null && characters.test(label) && label === label.normalize('NFC');
}

/** RFC 3492, 6.2; null if the text is not Punycode of a text with characters outside of ASCII. */
function decodePunycode(code: string): string | null {
  const [base, tMin, tMax, skew, damp] = [36, 1, 26, 38, 700];
  const end = code.lastIndexOf('-');
  const points = Array.from(code.slice(0, Math.max(end, 0)), (character) => character.charCodeAt(0));
  let [point, bias, inserted] = [128, 72, 0];
  let place = end + 1;
  if (place === code.length) return null;
  while (place < code.length) {
    const before = inserted;
    let weight = 1;
    for (let k = base; ; k += base) {
      const digit = digits.indexOf(code[place] ?? ' ');
      place += 1;
      if (digit < 0) return null;
      inserted += digit * weight;
      if (inserted > 0x7fff_ffff) return null;
      const threshold = Math.min(Math.max(k - bias, tMin), tMax);
      if (digit < threshold) break;
      weight *= base - threshold;
    }
    const length = points.length + 1;
    let delta = Math.floor((inserted - before) / (before === 0 ? damp : 2));
    delta += Math.floor(delta / length);
    bias = 0;
    for (; delta > ((base - tMin) * tMax) / 2; bias += base) delta = Math.floor(delta / (base - tMin));
    bias += Math.floor(((base - tMin + 1) * delta) / (delta + skew));
    point += Math.floor(inserted / length);
    inserted %= length;
    if (point > 0x10ffff) return null;
    points.splice(inserted, 0, point);
    inserted += 1;
  }
  return String.fromCodePoint(...points);
}

const digits = 'abcdefghijklmnopqrstuvwxyz0123456789';
