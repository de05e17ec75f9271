import { slug } from 'github-slugger';
import { navigation } from '../pages.mjs';

const descriptions = new Map(navigation.flatMap(({ pages }) => pages.map(({ page, about }) => [page, about])));

export default {
  title: 'mkt',
  description: 'Command line, typed SDK, mock and reference server for the Brand and Creator Marketplace JSON API',
  lang: 'en-US',
  srcDir: 'pages',
  outDir: 'dist',
  head: [['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }]],
  transformHead: ({ pageData }) => [
    ['link', { rel: 'alternate', type: 'text/markdown', href: `/${pageData.relativePath}` }],
  ],
  transformPageData: ({ relativePath }) => ({ description: descriptions.get(relativePath) }),
  // Links to the text files and the OpenAPI document, which are not pages, and to servers in examples.
  ignoreDeadLinks: [/\/llms(-full)?$/, /openapi\.json$/, /^https?:\/\/(127\.0\.0\.1|localhost)/],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    // Links in the repository use GitHub's anchors.
    anchor: { slugify: (heading) => slug(heading) },
    // Markdown tables need a header row. Cells without text should not be headers.
    config: ({ core }) =>
      core.ruler.push('empty_headers', ({ tokens }) => {
        for (const [at, { type }] of tokens.entries()) {
          if (type !== 'th_open' || tokens[at + 1].content !== '') continue;
          tokens[at].tag = 'td';
          tokens[at + 2].tag = 'td';
        }
      }),
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: navigation.map(({ title, pages }) => ({
      text: title,
      items: pages.map(({ title: text, page }) => ({ text, link: `/${page.replace(/\.md$/, '')}` })),
    })),
  },
};
