// Puts an editor in the place of the text area of a brief. The form still submits the text area, which takes Markdown or HTML
// without scripts.
import Squire from 'squire-rte';
import { leftOut } from '../../rules/left-out.js';
import { richText, withoutClutter } from '../../rules/rich-text.js';

const button = (label: string, act: () => void): HTMLButtonElement => {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = 'quiet';
  made.textContent = label;
  made.addEventListener('click', act);
  return made;
};

/** What the text area holds as HTML; undefined for Markdown that was typed before the page was loaded again. */
function htmlIn(area: HTMLTextAreaElement): string | undefined {
  const template = area.parentElement?.querySelector('template');
  if (template && area.value === area.defaultValue) return template.innerHTML;
  return /^\s*(?:<|$)/.test(area.value) ? area.value : undefined;
}

/** Like a paste: the elements that a brief may have. */
const cleaned = (html: string): DocumentFragment => {
  const template = document.createElement('template');
  template.innerHTML = richText(withoutClutter(html));
  return document.importNode(template.content, true);
};

/** Without images that are part of its text: they would be most of what a brief may have. */
function withoutData(fragment: DocumentFragment): DocumentFragment {
  for (const image of fragment.querySelectorAll('img[src^="data:"]')) image.remove();
  return fragment;
}

const needs: Readonly<Record<string, string>> = {
  link: ' A link needs an address such as https://acme.example.',
  image: ' An image needs an address such as https://acme.example/a.png.',
};

/** What is not in the editor of what was pasted; empty if all is. */
function lossesOf(html: string): string {
  const box = document.createElement('div');
  box.append(withoutData(cleaned(html)));
  const missing = leftOut(html, box.innerHTML);
  if (missing.size === 0) return '';
  return `Pasted without ${[...missing.values()].join(', ')}.${[...missing.keys()].map((part) => needs[part] ?? '').join('')}`;
}

/** Without what the editor leaves behind: marks without text, line breaks that are not seen, and empty blocks at the end. */
const tidied = (html: string): string =>
  html
    .replace(/<(b|i)><\/\1>/g, '')
    .replace(/(?<=[^>])<br>(?=<\/(?:p|div|li|h[1-6])>)/g, '')
    .replace(/(?:<(p|div)>(?:<br>)?<\/\1>)+$/, '');

/** The selected blocks as others. */
const renamed = (editor: Squire, from: string, to: string) =>
  editor.modifyBlocks((fragment) => {
    for (const block of fragment.querySelectorAll(from)) {
      const other = document.createElement(to);
      other.append(...block.childNodes);
      block.replaceWith(other);
    }
    return fragment;
  });

const blockOf = (place: Node): Element | null =>
  (place instanceof Element ? place : place.parentElement)?.closest('p, div, li, td, th, h1, h2, h3, h4, h5, h6') ??
  null;

/** Squire adds the first block of a paste to the line before it, and the rest of that line to the last one: an item of a list would be lost. */
function separateList(editor: Squire, fragment: DocumentFragment): void {
  const selection = editor.getSelection();
  const [first, last] = [blockOf(selection.startContainer), blockOf(selection.endContainer)];
  const isList = fragment.firstChild instanceof Element && fragment.firstChild.matches('ul, ol');
  if (!isList || !first || !last || first.matches('li')) return;
  const [before, after] = [selection.cloneRange(), selection.cloneRange()];
  before.setStart(first, 0);
  before.setEnd(selection.startContainer, selection.startOffset);
  after.setStart(selection.endContainer, selection.endOffset);
  after.setEnd(last, last.childNodes.length);
  if (String(before) !== '') fragment.prepend(document.createElement('p'));
  if (String(after) !== '') fragment.append(document.createElement('p'));
}

class BriefEditor extends Squire {
  /** A line break at the end of a block would not be seen, and typing would replace it: it gets another one after it. */
  override splitBlock(isLineBreak: boolean, range?: Range): this {
    super.splitBlock(isLineBreak, range);
    const caret = this.getSelection();
    const { startContainer: place } = caret;
    const block = place instanceof Element ? blockOf(place) : null;
    if (!isLineBreak || block === null) return this;
    const rest = caret.cloneRange();
    rest.setEnd(block, block.childNodes.length);
    const after = rest.cloneContents();
    if (after.textContent !== '' || after.querySelector('br, img')) return this;
    rest.insertNode(document.createElement('br'));
    rest.collapse(true);
    this.setSelection(rest);
    return this;
  }
}

/** The button that makes a link of the selection, and the field for its address. */
function linkControls(editor: Squire, root: HTMLElement) {
  const address = document.createElement('input');
  // Not `url`: what is not one would keep the form from being sent, without a word while it is hidden.
  address.setAttribute('type', 'text');
  address.inputMode = 'url';
  address.placeholder = 'https://';
  address.setAttribute('aria-label', 'Address of the link');
  address.hidden = true;
  const link = button('Link', () => {
    if (editor.hasFormat('A')) {
      editor.removeLink().focus();
      return;
    }
    const isOpen = document.activeElement === address;
    address.hidden = false;
    if (isOpen) editor.focus();
    else address.focus();
  });
  // The button leaves the focus where it is, because the address becomes a link when it loses the focus.
  link.addEventListener('mousedown', (event) => event.preventDefault());
  address.addEventListener('blur', ({ relatedTarget }) => {
    // The window has lost the focus.
    if (document.activeElement === address) return;
    const typed = address.value.trim();
    const url = typed === '' || /^[a-z][a-z\d+.-]*:(?!\d)/i.test(typed) ? typed : `https://${typed}`;
    // Some browsers take spaces.
    const isWrong = url !== '' && (/\s/.test(url) || !URL.canParse(url));
    address.setCustomValidity(isWrong ? 'This is not a web address.' : '');
    if (isWrong) return;
    address.value = '';
    // A button that is being pressed, such as Save, stays below the pointer.
    address.hidden = relatedTarget === root;
    if (url === '') return;
    if (!editor.getSelection().collapsed) editor.makeLink(url);
    else {
      // `makeLink` would lose the text that it writes.
      const anchor = document.createElement('a');
      anchor.href = url;
      anchor.textContent = typed;
      editor.insertHTML(anchor.outerHTML);
    }
  });
  address.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== 'Escape') return;
    event.preventDefault();
    if (event.key === 'Escape') address.value = '';
    editor.focus();
  });
  return { link, address };
}

/** The editor knows the keys only in lower case. With Caps Lock, browsers would do something else. */
function addUpperCaseKeys(editor: Squire): void {
  const format = (tag: string) => () =>
    editor.hasFormat(tag) ? editor.changeFormat(null, { tag }) : editor.changeFormat({ tag });
  const keys = { B: format('B'), I: format('I'), U: format('U'), Z: () => editor.undo(), Y: () => editor.redo() };
  for (const [key, act] of Object.entries(keys))
    for (const modifier of ['Ctrl', 'Meta'])
      editor.setKeyHandler(`${modifier}-${key}`, (_, event) => {
        event.preventDefault();
        act();
      });
}

/** In characters, of up to nine bytes. The server shows a brief again that is too long, but no form of more than 1 MiB. */
const maxSent = 100_000;

/** Says what a paste has lost, and keeps a brief from being sent that would not come back. @returns a function that removes this */
function addNotes(editor: Squire, area: HTMLTextAreaElement, text: () => string): () => void {
  const note = document.createElement('p');
  note.className = 'flash flash-warm';
  note.setAttribute('role', 'status');
  const say = (message: string) => {
    note.textContent = message;
    note.hidden = message === '';
  };
  say('');
  area.after(note);
  editor.addEventListener('willPaste', (event) => {
    const { html = '', fragment } = (event as CustomEvent<{ html?: string; fragment?: DocumentFragment }>).detail;
    if (fragment) separateList(editor, withoutData(fragment));
    say(lossesOf(html));
  });
  editor.addEventListener('pasteImage', () => say(`Pasted without 1 image.${needs.image}`));
  const check = (event: SubmitEvent) => {
    const sent = area.hidden ? text() : withoutClutter(area.value);
    if (event.target !== area.form || sent.length <= maxSent) return;
    event.preventDefault();
    event.stopPropagation();
    const image = sent.includes('data:image/') ? ' Most of them may be an image: remove it.' : '';
    say(
      `Nothing was sent: the brief has ${sent.length.toLocaleString('en-US')} characters, more than the 64 KiB that can be saved.${image}`,
    );
    note.scrollIntoView({ block: 'center' });
  };
  document.addEventListener('submit', check, true);
  return () => {
    note.remove();
    document.removeEventListener('submit', check, true);
  };
}

/** The way from the text to the editor. */
function offerEditor(area: HTMLTextAreaElement, leaveText?: () => void): void {
  const format = button('Edit with formatting', () => {
    const html = htmlIn(area);
    // The server makes HTML of Markdown for the preview, whose page has the editor.
    if (html === undefined) {
      area.form?.querySelector<HTMLButtonElement>('button[name="preview"]')?.click();
      return;
    }
    format.remove();
    leaveText?.();
    edit(area, html).focus();
  });
  area.before(format);
}

function edit(area: HTMLTextAreaElement, html: string): Squire {
  const { id } = area;
  const label = document.querySelector<HTMLLabelElement>(`label[for="${id}"]`);
  // They are about Markdown and HTML.
  const notes = [document.getElementById(`${id}-hint`), area.parentElement?.querySelector('details.hint')];
  const root = document.createElement('div');
  root.className = 'editor-text prose';
  root.dir = 'auto';
  root.setAttribute('role', 'textbox');
  root.setAttribute('aria-multiline', 'true');
  root.setAttribute('aria-label', label?.textContent ?? '');
  // A label cannot be for it.
  label?.removeAttribute('for');
  for (const name of ['aria-describedby', 'aria-invalid']) {
    const value = area.getAttribute(name);
    if (value !== null) root.setAttribute(name, value);
  }
  const box = document.createElement('div');
  box.className = 'editor';
  const bar = document.createElement('div');
  bar.className = 'editor-bar';
  bar.setAttribute('role', 'group');
  bar.setAttribute('aria-label', 'Format');
  box.append(bar, root);
  area.before(box);
  // Links to the field, such as those of messages, lead to what is seen.
  area.removeAttribute('id');
  root.id = id;

  const editor = new BriefEditor(root, { blockTag: 'P', sanitizeToDOMFragment: cleaned });
  editor.setHTML(html);
  const content = () => richText(tidied(editor.getHTML()));
  const [opened, openedAs] = [content(), area.value];
  editor.moveCursorToStart();
  area.hidden = true;
  for (const note of notes) if (note instanceof HTMLElement) note.hidden = true;
  const focus = () => editor.focus();
  label?.addEventListener('click', focus);

  const has = (tag: string) => editor.hasFormat(tag);
  const toggles: readonly [label: string, tag: string, on: () => unknown, off: () => unknown][] = [
    ['Bold', 'B', () => editor.bold(), () => editor.removeBold()],
    ['Italic', 'I', () => editor.italic(), () => editor.removeItalic()],
    [
      'Heading',
      'H2',
      () => renamed(has('LI') ? editor.removeList() : editor, 'p, div', 'h2'),
      () => renamed(editor, 'h2', 'p'),
    ],
    ['Bullets', 'UL', () => editor.makeUnorderedList(), () => editor.removeList()],
    ['Numbers', 'OL', () => editor.makeOrderedList(), () => editor.removeList()],
    ['Quote', 'BLOCKQUOTE', () => editor.increaseQuoteLevel(), () => editor.decreaseQuoteLevel()],
  ];
  const buttons = toggles.map(([name, tag, on, off]) => {
    const made = button(name, () => {
      if (has(tag)) off();
      else on();
      editor.focus();
    });
    editor.addEventListener('pathChange', () => made.setAttribute('aria-pressed', String(has(tag))));
    made.setAttribute('aria-pressed', 'false');
    return made;
  });
  const { link, address } = linkControls(editor, root);
  root.before(address);
  addUpperCaseKeys(editor);
  // Sent as it was opened, unless its content is another: extensions of browsers set attributes too.
  const text = (): string => {
    if (content() === opened) return openedAs;
    const isEmpty = root.textContent?.trim() === '' && root.querySelector('img, hr') === null;
    return isEmpty ? '' : tidied(editor.getHTML());
  };
  // The text area may have another one: browsers restore what it had before.
  const send = ({ formData }: FormDataEvent) => formData.set(area.name, text());
  area.form?.addEventListener('formdata', send);
  // Pastes and buttons cause no input event.
  editor.addEventListener('input', () => area.dispatchEvent(new Event('input', { bubbles: true })));
  const removeNotes = addNotes(editor, area, text);
  const asText = button('Edit as text', () => {
    area.value = text();
    area.form?.removeEventListener('formdata', send);
    label?.removeEventListener('click', focus);
    editor.destroy();
    box.remove();
    area.id = id;
    if (label) label.htmlFor = id;
    area.hidden = false;
    for (const note of notes) if (note instanceof HTMLElement) note.hidden = false;
    offerEditor(area, removeNotes);
    area.focus();
  });
  bar.append(...buttons, link, asText);
  return editor;
}

for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-editor]')) {
  const html = htmlIn(area);
  if (html === undefined) offerEditor(area);
  else edit(area, html);
}
