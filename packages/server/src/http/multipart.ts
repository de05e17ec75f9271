// Loaded on demand, so it imports nothing: the bundler of the mock would make a chunk of what it shares with others.

const dash = 0x2d;
const cr = 0x0d;
const lf = 0x0a;

/**
 * Counts the parts of a multipart body, and replaces its boundary. Parsers look for the boundary without the
 * dashes before it: a boundary of one or two characters (RFC 2046 permits 1 to 70) would end a part wherever it occurs.
 * The last part of a body that is not complete ends where the bytes end.
 * @returns null if the body cannot be read, 'too many' if it has more than `maxFields` parts, 'too long' if their headers,
 * which have the names, are longer than `maxHeads` bytes together
 */
export function divided(
  bytes: Uint8Array,
  type: string,
  {
    maxFields,
    maxHeads,
    isComplete,
    newBoundary,
  }: { maxFields: number; maxHeads: number; isComplete: boolean; newBoundary: string },
): Response | 'too many' | 'too long' | null {
  const [, boundary = ''] = /;\s*boundary="?([^";]{0,69}[^";\s])"?\s*(?:;|$)/i.exec(type) ?? [];
  if (boundary === '') return null;
  const line = Uint8Array.from(`--${boundary}`, (character) => character.charCodeAt(0));
  const longLine = `--${newBoundary}`;
  const pieces: (string | Uint8Array)[] = [];
  let count = 0;
  let heads = 0;
  for (let place = isBoundaryAt(bytes, line, 0) ? 0 : nextBoundary(bytes, line, 0); place >= 0; ) {
    const start = place + line.length;
    if (bytes[start] === dash && bytes[start + 1] === dash) {
      pieces.push(`${longLine}--\r\n`);
      break;
    }
    count += 1;
    if (count > maxFields) return 'too many';
    heads += headLength(bytes.subarray(start, start + maxHeads));
    if (heads >= maxHeads) return 'too long';
    place = nextBoundary(bytes, line, start);
    if (place >= 0) pieces.push(longLine, ...partOf(bytes.subarray(start, place)));
    else if (!isComplete) pieces.push(longLine, ...partOf(bytes.subarray(start)), `\r\n${longLine}--\r\n`);
  }
  // Not a Blob: that of jsdom is not one for the platform's Response.
  return new Response(joined(pieces), {
    headers: { 'Content-Type': `multipart/form-data; boundary=${longLine.slice(2)}` },
  });
}

function joined(pieces: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts = pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece));
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}

/** The bytes before the blank line; all of them if there is none. */
function headLength(bytes: Uint8Array): number {
  for (let place = bytes.indexOf(cr); place >= 0; place = bytes.indexOf(cr, place + 1))
    if (bytes[place + 1] === lf && bytes[place + 2] === cr) return place;
  return bytes.length;
}

/** Of a part: longer headers stay as they are, so that a thousand hostile ones take little time. */
const maxHead = 640;

/** A part with quoted names, as browsers send them: not every platform parses `name=a; filename*=utf-8''a.png` of .NET. */
function partOf(part: Uint8Array): (string | Uint8Array)[] {
  const head = new TextDecoder().decode(part.subarray(0, maxHead));
  const end = head.indexOf('\r\n\r\n');
  const [line, given = ''] = /^content-disposition:\s*form-data\s*;(.*)$/im.exec(head.slice(0, end)) ?? [];
  // Quoted, and without escaped quotes.
  if (line === undefined || end < 0 || /^(?:\s*\w+="[^"\\]*";?)*\s*$/.test(given)) return [part];
  const values: Record<string, string> = {};
  for (const [, name = '', quoted, plain = ''] of given.matchAll(
    /(?:^|;)\s*([\w*]{1,20})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/g,
  ))
    values[name.toLowerCase()] = quoted?.replaceAll('\\"', '"') ?? plain.trim();
  const { name = '', filename = 'file' } = values;
  const file = 'filename' in values || 'filename*' in values ? `; filename="${filename.replaceAll('"', '%22')}"` : '';
  const disposition = `Content-Disposition: form-data; name="${name.replaceAll('"', '%22')}"${file}`;
  const rest = part.subarray(new TextEncoder().encode(head.slice(0, end)).length);
  return [head.slice(0, end).replace(line, () => disposition), rest];
}

/** Whether a boundary line begins at `place`: the boundary, then the last dashes or white space to the end of the line. */
function isBoundaryAt(bytes: Uint8Array, line: Uint8Array, place: number): boolean {
  for (let index = 0; index < line.length; index += 1) if (bytes[place + index] !== line[index]) return false;
  let end = place + line.length;
  if (bytes[end] === dash && bytes[end + 1] === dash) return true;
  while (bytes[end] === 0x20 || bytes[end] === 0x09) end += 1;
  return bytes[end] === cr && bytes[end + 1] === lf;
}

/**
 * The position of the next boundary line; -1 if there is none. Not by `indexOf`, whose call for each line end costs fifty
 * times as much as a byte. No byte is compared more than twice, because a boundary contains no line end.
 */
function nextBoundary(bytes: Uint8Array, line: Uint8Array, from: number): number {
  for (let place = from; place < bytes.length; place += 1)
    if (
      bytes[place] === cr &&
      bytes[place + 1] === lf &&
      bytes[place + 2] === dash &&
      isBoundaryAt(bytes, line, place + 2)
    )
      return place + 2;
  return -1;
}
