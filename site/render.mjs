// Markdown as HTML: headings with anchors as a code host makes them, tables and code that scroll by themselves, code in colour.
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import json from 'highlight.js/lib/languages/json';
import shell from 'highlight.js/lib/languages/shell';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { Marked } from 'marked';
import { slugger } from '../scripts/lib/markdown.mjs';

const languages = { bash, dockerfile, json, shell, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
// Names of programs are words of ours too: the `id` of `--fields id,name`.
hljs.getLanguage('bash').keywords.built_in = [];

export const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** What a screen reader calls a block. */
const labels = {
  sh: 'Shell',
  console: 'Terminal',
  ts: 'TypeScript',
  json: 'JSON',
  yaml: 'YAML',
  dockerfile: 'Dockerfile',
};

function codeBlock({ text, lang }) {
  const known = lang && hljs.getLanguage(lang);
  const html = known ? hljs.highlight(text, { language: lang }).value : escaped(text);
  return `<pre tabindex="0" role="group" aria-label="${labels[lang] ?? 'Text'}"><code>${html}</code></pre>\n`;
}

/**
 * @param {string} markdown
 * @returns {{ html: string, title: string, headings: { id: string, html: string, depth: number }[] }}
 */
export function render(markdown) {
  const slug = slugger();
  const headings = [];
  let tables = 0;
  const marked = new Marked({
    renderer: {
      code: codeBlock,
      html: ({ text }) => (text.startsWith('<!--') ? '' : text),
      heading({ tokens, depth, text }) {
        const id = slug(text);
        const html = this.parser.parseInline(tokens);
        headings.push({ id, html: html.replace(/<\/?a\b[^>]*>/g, ''), depth });
        if (depth === 1) return `<h1 id="${id}">${html}</h1>\n`;
        return `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      table(token) {
        const cells = (row, tag) =>
          `<tr>${row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        // A head without a word is none.
        const head = token.header.some(({ text }) => text !== '');
        tables += 1;
        const body = token.rows.map((row) => cells(row, 'td')).join('\n');
        return `<div class="table" tabindex="0" role="group" aria-label="Table ${tables}"><table>${
          head ? `<thead>${headCells(token.header, this.parser)}</thead>` : ''
        }<tbody>${body}</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parse(markdown);
  const title = headings.find(({ depth }) => depth === 1)?.html.replace(/<[^>]+>/g, '') ?? '';
  return { html, title, headings };
}

/** An empty head cell heads nothing. */
const headCells = (header, parser) =>
  `<tr>${header.map(({ tokens, text }) => (text === '' ? '<td></td>' : `<th scope="col">${parser.parseInline(tokens)}</th>`)).join('')}</tr>`;
