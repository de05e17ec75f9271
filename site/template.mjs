// The page around a text.
import { between } from './links.mjs';
import { navigation, sequence } from './pages.mjs';
import { escaped } from './render.mjs';

/** Nothing runs, nothing comes from elsewhere. */
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'";

const list = (items) => `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;

function navigationHtml(here) {
  const link = ({ title, address }) =>
    `<a href="${between(here, address)}"${address === here ? ' aria-current="page"' : ''}>${escaped(title)}</a>`;
  return navigation.map(({ title, pages }) => `<h2>${escaped(title)}</h2>${list(pages.map(link))}`).join('\n');
}

/** The headings of a page: beside its text in a wide window, folded under its title in others. */
function contents(headings) {
  const parts = headings.filter(({ depth }) => depth === 2);
  if (parts.length < 3) return { beside: '', folded: '' };
  const links = list(parts.map(({ id, html }) => `<a href="#${id}">${html}</a>`));
  return {
    beside: `<nav class="contents" aria-label="On this page"><h2>On this page</h2>${links}</nav>`,
    folded: `<details class="contents-folded"><summary>On this page</summary><nav aria-label="On this page, folded">${links}</nav></details>`,
  };
}

function neighbours(here) {
  const at = sequence.findIndex(({ address }) => address === here);
  if (at < 0) return '';
  const link = (page, rel, word) =>
    page ? `<a rel="${rel}" href="${between(here, page.address)}"><span>${word}</span> ${escaped(page.title)}</a>` : '';
  const links = [link(sequence[at - 1], 'prev', 'Before:'), link(sequence[at + 1], 'next', 'Next:')];
  return `<nav class="neighbours" aria-label="Neighbours">${links.join('')}</nav>`;
}

/**
 * @param {{ address: string, title: string, html: string, headings: { id: string, html: string, depth: number }[],
 *   source: string, repository: string | null }} page
 */
export function pageHtml({ address, title, html, headings, source, repository }) {
  const home = between(address, 'index.html');
  const menu = navigationHtml(address);
  const { beside, folded } = contents(headings);
  const origin = repository ? `<a href="${repository}">Source</a>` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<title>${escaped(title === 'mkt: the documentation' ? title : `${title} · mkt`)}</title>
<link rel="stylesheet" href="${between(address, 'style.css')}">
<link rel="icon" href="${between(address, 'icon.svg')}" type="image/svg+xml">
<link rel="alternate" href="${between(address, source)}" type="text/markdown">
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header><a class="name" href="${home}">mkt</a> <span>documentation</span> ${origin}</header>
<details class="menu"><summary>All pages</summary><nav aria-label="All pages, folded">${menu}</nav></details>
<div class="columns">
<nav class="side" aria-label="All pages">${menu}</nav>
<main id="main">
${html.replace('</h1>', (end) => end + folded)}
${neighbours(address)}
</main>
${beside}
</div>
<footer><a href="${between(address, source)}">This page as Markdown</a> <a href="${between(address, 'llms.txt')}">llms.txt</a></footer>
</body>
</html>
`;
}
