import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { HtmlValidate } from 'html-validate';
import type { Page } from 'playwright-core';

const validator = new HtmlValidate({
  extends: ['html-validate:recommended'],
  rules: {
    // How Hono's JSX writes elements and attributes.
    'attribute-boolean-style': 'off',
    'attribute-empty-style': 'off',
    'doctype-style': 'off',
    'void-style': 'off',
    // The checkboxes of a list and the input for other values have one name (D137).
    'form-dup-name': 'off',
    // The editor of briefs: a text area shows no headings and lists.
    'prefer-native-element': ['error', { exclude: ['textbox'] }],
    // Titles contain names.
    'long-title': 'off',
    // Anchors of the reference are the same as on GitHub: `#404-not-found`.
    'valid-id': ['error', { relaxed: true }],
  },
});

/** What html-validate reports about the HTML of a response. */
export async function invalidHtml(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) => messages.map(({ ruleId, message }) => `${ruleId}: ${message}`));
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

declare global {
  /** What that source puts into the page. */
  var axe: typeof import('axe-core');
}

/** The last one is a window of 1280 px at 400 %. */
const widths = [1440, 800, 390, 320];

async function inEachWidth(page: Page, ...looks: (() => string[])[]): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    for (const look of looks)
      for (const fault of await page.evaluate(look)) faults.push(`${fault} in a window of ${width} px`);
  }
  return faults;
}

/** The windows that a page is wider than: it would have to be pushed sideways to be read. */
export const tooWide = (page: Page): Promise<string[]> => inEachWidth(page, overflow);

/** The same, and controls outside of the window or on one another, and numbers of more than one line. */
export const misfits = (page: Page): Promise<string[]> => inEachWidth(page, overflow, misplaced);

/** Runs in the page. */
function overflow(): string[] {
  const over = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  return over > 0 ? [`${over} px too wide`] : [];
}

/** Runs in the page. */
function misplaced(): string[] {
  const root = document.documentElement;
  const faults: string[] = [];
  const isShown = (element: Element): boolean => element.checkVisibility({ opacityProperty: true });
  const all = [...document.querySelectorAll('main :is(a, button, input, select, textarea, summary)')];
  // A bar that stays in view covers what is below it, and its own scrolled part.
  const shown = all.filter((control) => isShown(control) && !control.closest('.bar, [aria-hidden]'));
  const boxes = shown.map((control) => ({
    control,
    name: `${control.localName} "${(control.textContent || control.getAttribute('name') || '').trim().slice(0, 30)}"`,
    rects: [...control.getClientRects()],
    canScroll: control.closest('.scroll, .prose, pre, nav, .spending') !== null,
  }));
  for (const [place, { control, name, rects, canScroll }] of boxes.entries()) {
    if (!canScroll && rects.some(({ left, right }) => left < -1 || right > root.clientWidth + 1))
      faults.push(`${name} is outside`);
    for (const other of boxes.slice(place + 1)) {
      if (control.contains(other.control) || canScroll !== other.canScroll) continue;
      const meets = (one: DOMRect, two: DOMRect): boolean =>
        Math.min(one.right, two.right) - Math.max(one.left, two.left) > 1 &&
        Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top) > 1;
      if (rects.some((one) => other.rects.some((two) => meets(one, two)))) faults.push(`${name} meets ${other.name}`);
    }
  }

  // Text of twice the size may need two lines for a long one.
  if (Number.parseFloat(getComputedStyle(root).fontSize) > 16) return faults;
  const texts = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode())
    for (const { 0: number, index } of (text.nodeValue ?? '').matchAll(/(?<=^|\s)\d[\d,.]*\d(?=$|[\s%])/g)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + number.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      // Not an id: a number is grouped, or short.
      if (lines.size > 1 && !/^\d{10,}$/.test(number) && !text.parentElement?.closest('.prose, pre, code'))
        faults.push(`${number} is broken`);
    }
  return faults;
}

/** What axe-core finds wrong with a page: the rule, and the first place. */
export async function inaccessible(page: Page): Promise<string[]> {
  // Once for all documents of a tab: to send half a megabyte to each takes longer than most rules.
  if (await page.evaluate(() => !('axe' in globalThis))) {
    await page.addInitScript(axeSource);
    await page.evaluate(`${axeSource};undefined`);
  }
  return page.evaluate(async () => {
    // Off by default: room enough around everything that a finger presses (WCAG 2.2, 2.5.8).
    // What it finds right is not asked for: that takes a third of its time.
    const rules = { 'target-size': { enabled: true } };
    const { violations } = await axe.run({
      rules,
      resultTypes: ['violations'],
    });
    return violations.map(({ id, nodes: [first] }) => `${id}: ${first?.html}`);
  });
}
