// Removes from a Node what only debuggers read: a fifth of the file. System tools do this for their own system only.

/**
 * An ELF file without the sections behind its segments: symbols, debug information, and the table of sections, which
 * nothing reads at run time.
 */
export function stripElf(file) {
  const programHeaders = Number(file.readBigUInt64LE(32));
  const size = file.readUInt16LE(54);
  const ends = Array.from({ length: file.readUInt16LE(56) }, (_, index) => {
    const header = programHeaders + index * size;
    return Number(file.readBigUInt64LE(header + 8)) + Number(file.readBigUInt64LE(header + 32));
  });
  const stripped = Buffer.from(file.subarray(0, Math.max(...ends)));
  stripped.fill(0, 40, 48);
  stripped.fill(0, 60, 64);
  return stripped;
}

const SYMTAB = 0x2;
const DYSYMTAB = 0xb;

/** The first fields of a load command of a Mach-O file. */
function loadCommand(file, kind) {
  let at = 32;
  for (let left = file.readUInt32LE(16); left > 0; left -= 1) {
    if (file.readUInt32LE(at) === kind) return [8, 12, 16, 20].map((field) => file.readUInt32LE(at + field));
    at += file.readUInt32LE(at + 4);
  }
  throw new Error('The file has no table of symbols.');
}

/** A Mach-O file in which local symbols have no names. It keeps its size and its layout, and compresses better. */
export function blankMachO(file) {
  const blank = Buffer.from(file);
  const [symbols, count, names, length] = loadCommand(file, SYMTAB);
  const [firstLocal, locals] = loadCommand(file, DYSYMTAB);
  const used = Buffer.alloc(length);
  for (let index = 0; index < count; index += 1) {
    const symbol = symbols + index * 16;
    if (index >= firstLocal && index < firstLocal + locals) {
      blank.writeUInt32LE(0, symbol);
      continue;
    }
    const name = file.readUInt32LE(symbol);
    used.fill(1, name, file.indexOf(0, names + name) - names);
  }
  // The first byte is a blank: a name at position 0 is an empty one.
  for (let index = 1; index < length; index += 1) if (used[index] === 0) blank[names + index] = 0;
  return blank;
}
