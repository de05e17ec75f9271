import { expect, test } from 'vitest';
import { htmlToText } from '../src/text/html-text.js';

test.each([
  ['<section>First</section><section>Second</section>', 'First\n\nSecond'],
  ['<dl><dt>Deadline</dt><dd>1 May</dd></dl><h5>Do</h5>', 'Deadline\n\n1 May\n\nDo'],
  ['<details><summary>More</summary>Text</details>', 'More\n\nText'],
  ['<figure><figcaption>A</figcaption></figure>b', 'A\n\nb'],
])('separates the blocks of %s', (html, text) => {
  expect(htmlToText(html).replace(/\n+/g, '\n\n')).toBe(text);
});
