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

/** The windows that a page is wider than: it would have to be pushed sideways to be read. */
export async function tooWide(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    if (over > 0) faults.push(`${over} px wider than a window of ${width} px`);
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
