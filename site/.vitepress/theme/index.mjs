import { useData } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';
import './style.css';

const notFound = () =>
  h('main', { class: 'not-found' }, [
    h('h1', 'Page not found'),
    h('p', ['There is no page at this URL. Search, or start at ', h('a', { href: '/' }, 'the documentation'), '.']),
  ]);

/** `target` makes the browser load the file; without it the router looks for a page. */
const asMarkdown = () =>
  h('a', { href: `/${useData().page.value.relativePath}`, target: '_self' }, 'This page as Markdown');

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { 'not-found': notFound, 'doc-footer-before': () => h(asMarkdown) }),
};
