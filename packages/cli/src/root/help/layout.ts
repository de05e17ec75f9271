export type Entry = readonly [left: string, right: string];

/** Plain ASCII words only come in here, so counting characters is enough and keeps help quick to start. */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Two columns, the right one wrapped; a long left side takes a line of its own, and so does every one where it is narrow. */
export function columns(entries: readonly Entry[], width: number): string[] {
  const left = Math.min(28, Math.max(...entries.map(([text]) => text.length))) + 2;
  const room = width - left - 2;
  if (room < 32) {
    return entries.flatMap(([name, text]) => [
      ...wrapWords(name.trim(), width - 2).map((line) => `  ${line}`),
      ...wrapWords(text, width - 6).map((line) => `      ${line}`),
    ]);
  }
  return entries.flatMap(([name, text]) => {
    const [first = '', ...rest] = wrapWords(text, room);
    const indent = ' '.repeat(left + 2);
    const head = name.length + 2 > left ? [`  ${name}`, `${indent}${first}`] : [`  ${name.padEnd(left)}${first}`];
    return [...head, ...rest.map((line) => `${indent}${line}`)];
  });
}

export const section = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines];
