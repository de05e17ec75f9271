import * as fc from 'fast-check';
import { Parser } from 'htmlparser2';
// @ts-expect-error It has no types.
import MarkdownIt from 'markdown-it';
import { describe, expect, it } from 'vitest';
import { groupsOf, questionText } from '../src/commands/mcp/question.js';
import { kinds } from '../src/declarations/kinds.js';
import { type Change, changeFor } from '../src/declarations/plan.js';

/** What a person sees of HTML: no comments, attributes and contents that browsers hide. */
function seen(html: string): string {
  const hidden = new Set([
    'script',
    'style',
    'template',
    'title',
    'noscript',
    'iframe',
    'textarea',
    'select',
    'object',
  ]);
  let [text, depth] = ['', 0];
  const parser = new Parser({
    onopentag: (name, attributes) => {
      if (depth > 0 || hidden.has(name) || Object.keys(attributes).length > 0) depth += 1;
      text += ' ';
    },
    onclosetag: () => {
      depth = Math.max(0, depth - 1);
      text += ' ';
    },
    ontext: (part) => {
      if (depth === 0) text += part;
    },
  });
  parser.end(html);
  return squeezed(text);
}

/** Without white space, which HTML collapses. */
const squeezed = (text: string): string => text.replace(/\s+/g, '');

const asText = new MarkdownIt({ html: false, linkify: true });
const asHtml = new MarkdownIt({ html: true });

const renderers: Readonly<Record<string, (question: string) => string>> = {
  'Markdown, HTML shown as text': (question) => seen(asText.render(question)),
  'Markdown, HTML dropped': (question) => seen(asHtml.render(question)),
  'HTML dropped before Markdown': (question) =>
    seen(asText.render(question.replace(/<!--.*?(?:-->|$)|<\/?[a-z][^>]*>/gis, ''))),
  'plain HTML': (question) => seen(withoutMarks(question)),
  'plain text': (question) => squeezed(withoutMarks(question)),
};

/** The text without the marks of lists and code, which Markdown does not show. */
function withoutMarks(question: string): string {
  let fence = '';
  const lines = question.split('\n').flatMap((line) => {
    const [, mark = ''] = /^ {4}(`{3,})$/.exec(line) ?? [];
    if (mark !== '' && (fence === '' || fence === mark)) {
      fence = fence === '' ? mark : '';
      return [];
    }
    if (fence !== '') return [line];
    return [line.replace(/^ *- /, '').replace(/(?<!`)(`+)([^`].*?[^`]|[^`])\1(?!`)/g, '$2')];
  });
  return lines.join('\n');
}

/** Reads a shown value back: two values never look the same. */
const decoded = (shown: string): string =>
  shown.replace(/([<&])\\(?=[a-z/!?#])|\\(?:u\{([0-9a-f]+)\}|u([0-9a-f]{4})|(.))/gi, (_, mark, long, short, one) => {
    if (mark !== undefined) return mark;
    if (one === undefined) return String.fromCodePoint(Number.parseInt(long ?? short, 16));
    return { n: '\n', t: '\t', r: '\r' }[one as string] ?? one;
  });

const pieces = [
  ...['<!--', '-->', '<b>', '</p>', '<style>', '<script>', '<textarea>', '<', '&', '&lt;', '&#x202e;', '<details>'],
  ...[
    '`',
    '``',
    '```',
    '\n```\n',
    '~~~',
    '"',
    '\\',
    '\\"',
    '\\n',
    '<\\p',
    '$',
    '|',
    '---',
    '===',
    '# ',
    '> ',
    '- ',
    '1. ',
  ],
  ...['[a](https://evil.example)', '![](x)', '<https://evil.example>', '*', '_', '__', '    ', '\t', '\n', '\r', '  '],
  ...[
    '\u202e',
    '\u200b',
    '\u2066',
    '\ufeff',
    '\u0000',
    '\u001b[2J',
    '\u2028',
    '\u{e0041}',
    '\u05d0',
    '\u0338',
    '\u00a0',
  ],
  ...[
    'Bold launch',
    'Pay 5 to',
    'https://evil.example/',
    '- publish campaign 1',
    '<img src=x onerror=alert(1)>',
    ']]>',
    '<?',
  ],
];
const hostile = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));

const place = { service: 'https://api.example.com', isLocal: false, profile: 'default', token: 'abcd' };

const questionAbout = (organization: string, changes: readonly Change[]): string =>
  questionText({
    place,
    organization: { id: 5, name: organization },
    groups: groupsOf(changes, () => undefined),
    undoes: undefined,
  });

const changed = (before: object, fields: Record<string, unknown>): Change =>
  changeFor(
    {
      kind: kinds.campaigns,
      id: '3',
      name: undefined,
      isDeleted: false,
      fields: fields as never,
      state: undefined,
      positionOf: () => ({ line: 0, column: 0 }),
    },
    { id: 3, status: 'draft', ...before },
    undefined,
  );

const lineOf = (question: string, field: string): string =>
  question.split('\n').find((line) => line.startsWith(`  - ${field}: `)) ?? '';

describe('the question about a plan', () => {
  it('hides nothing in any renderer, and shows two values never alike: 200 hostile plans', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, hostile, (name, website, before, brief, organization) => {
        const question = questionAbout(organization, [
          changed(
            { name: before, website: before, brief: '<p>Old</p>', cpm_amount: 500 },
            { name, website, brief, cpm_amount: 4999 },
          ),
        ]);
        const whole = renderers['plain text']?.(question);
        for (const [renderer, render] of Object.entries(renderers)) expect(render(question), renderer).toBe(whole);
        expect(whole).toContain('cpm_amount:from500to4999');
        for (const [field, value] of Object.entries({ name, website })) {
          if (value === before) continue;
          const [, shown = ''] = /` to `+"(.*)"`+$/.exec(lineOf(question, field)) ?? [];
          expect(decoded(shown)).toBe(value);
        }
        const added = question.split('\n').flatMap((line) => /^ {4}\+ (.*)$/.exec(line)?.[1] ?? []);
        expect(decoded(added.join('')).replaceAll('\n', '')).toBe(brief.replaceAll('\n', ''));
        expect(question.replaceAll('\n', '')).not.toMatch(/(?!\ufe0f)[\p{Cc}\p{Cf}\p{DI}\p{Zl}\p{Zp}]/u);
      }),
      { numRuns: 200, seed: 59 },
    );
  });

  it('shows the target of a link when it changes', () => {
    const link = (host: string) => `<p><a href="https://${host}/terms">Terms</a></p>`;
    const question = questionAbout('Acme', [changed({ brief: link('acme.example') }, { brief: link('evil.example') })]);
    for (const render of Object.values(renderers)) expect(render(question)).toContain('https://evil.example/terms');
  });

  it.each<[what: string, from: string, to: string, lines: readonly string[]]>([
    [
      'a line break that browsers show',
      '<pre>One. Two</pre>',
      '<pre>One. \nTwo</pre>',
      ['- <\\pre>One. ', '+ <\\pre>One. \\n'],
    ],
    [
      'only what differs, whatever is between blocks',
      '<p>One. Two.</p><p>Three.</p>',
      '<p>One.\n  Two.</p>\n\n  <p>Four.</p>\n',
      ['- <\\p>Three.<\\/p>', '+ <\\p>Four.<\\/p>\\n'],
    ],
    [
      'only the sentence that differs, without spaces between sentences',
      '<p>\u4e00\u3002\u4e8c\u3002\u4e09\uff01\u56db</p>',
      '<p>\u4e00\u3002\u4e94\u3002\u4e09\uff01\u56db</p>',
      ['- \u4e8c\u3002', '+ \u4e94\u3002'],
    ],
    [
      'letters of another alphabet in a word, and not in words of that alphabet',
      '<p>Pay here</p>',
      '<p>P\u0430y h\u03b5re \u043f\u043e\u0441\u0442</p>',
      ['- <\\p>Pay here<\\/p>', '+ <\\p>P\\u0430y h\\u03b5re \u043f\u043e\u0441\u0442<\\/p>'],
    ],
  ])('shows %s', (_, from, to, lines) =>
    expect(
      questionAbout('Acme', [changed({ brief: from }, { brief: to })])
        .split('\n')
        .slice(7, -1),
    ).toEqual(lines.map((line) => `    ${line}`)),
  );

  it('shows equal changes once, with all ids and names', () => {
    const rename = (id: number) => ({
      ...changed(
        { brief: `<p>Number ${id}. Bring our serumm. Thanks.</p>` },
        { brief: `<p>Number ${id}. Bring our serum. Thanks.</p>` },
      ),
      row: { id, name: `C${id}`, status: 'draft' },
    });
    expect(questionAbout('Acme', [1, 2, 3].map(rename)).split('\n').slice(4)).toEqual([
      '- update 3 campaigns: 1 `"C1"`, 2 `"C2"`, 3 `"C3"`',
      '  - brief:',
      '    ```',
      '    - Bring our serumm. ',
      '    + Bring our serum. ',
      '    ```',
    ]);
  });
});
