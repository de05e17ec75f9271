// Signs a Mach-O file ad hoc, as the linkers of Apple and LLVM do: without a signature, macOS ends programs on its own
// processors. It says that the file is unchanged since, and not who made it.
import { createHash } from 'node:crypto';

const PAGE = 4096;
const HASH = 32;
const SEGMENT_64 = 0x19;
const CODE_SIGNATURE = 0x1d;
const align = (number, to) => Math.ceil(number / to) * to;
const littleEndian = (...words) => Buffer.from(Uint32Array.from(words).buffer);
const bigEndian = (...words) => littleEndian(...words).swap32();

/** Its load commands, and where they end. */
function loadCommands(file) {
  const commands = [];
  let end = 32;
  for (let left = file.readUInt32LE(16); left > 0; left -= 1) {
    const kind = file.readUInt32LE(end);
    const name = kind === SEGMENT_64 ? file.toString('latin1', end + 8, file.indexOf(0, end + 8)) : '';
    commands.push({ at: end, kind, name });
    end += file.readUInt32LE(end + 4);
  }
  return { commands, end };
}

/** The hashes of all pages, in an envelope of one part: version 2.4, with the flags "ad hoc" and "by a linker". */
function signatureOf(code, identifier, textSize) {
  const hashes = [];
  for (let at = 0; at < code.length; at += PAGE)
    hashes.push(
      createHash('sha256')
        .update(code.subarray(at, at + PAGE))
        .digest(),
    );
  const name = Buffer.from(`${identifier}\0`);
  const head = 22 * 4;
  const hashesAt = head + name.length;
  const length = hashesAt + hashes.length * HASH;
  return Buffer.concat([
    bigEndian(0xfade0cc0, 20 + length, 1, 0, 20),
    bigEndian(0xfade0c02, length, 0x20400, 0x20002, hashesAt, head, 0, hashes.length, code.length),
    Buffer.from([HASH, 2, 0, Math.log2(PAGE)]),
    bigEndian(0, 0, 0, 0, 0, 0, 0, 0, 0, textSize, 0, 1),
    name,
    ...hashes,
  ]);
}

/** @param {Buffer} file An executable of 64 bits without a signature. @param {string} identifier In ASCII. */
export function signMachO(file, identifier) {
  const { commands, end } = loadCommands(file);
  const segment = (wanted) => commands.find(({ name }) => name === wanted).at;
  if (commands.some(({ kind }) => kind === CODE_SIGNATURE) || file.subarray(end, end + 16).some((byte) => byte !== 0))
    throw new Error('The file has a signature, or no room for one.');
  const start = align(file.length, 16);
  const code = Buffer.concat([file, Buffer.alloc(start - file.length)]);
  const size = signatureOf(code, identifier, 0).length;
  littleEndian(code.readUInt32LE(16) + 1, code.readUInt32LE(20) + 16).copy(code, 16);
  littleEndian(CODE_SIGNATURE, 16, start, size).copy(code, end);
  const links = segment('__LINKEDIT');
  const length = start + size - Number(code.readBigUInt64LE(links + 40));
  code.writeBigUInt64LE(BigInt(align(length, 16384)), links + 32);
  code.writeBigUInt64LE(BigInt(length), links + 48);
  return Buffer.concat([code, signatureOf(code, identifier, code.readUInt32LE(segment('__TEXT') + 48))]);
}
