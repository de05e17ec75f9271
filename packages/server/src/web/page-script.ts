// What pages do better with scripts. Everything works without them.

const grouped = new Intl.NumberFormat('en-US');

function showAmount({ target, type }: Event): void {
  if (!(target instanceof HTMLInputElement) || target.inputMode !== 'numeric') return;
  const { value } = target;
  if (type === 'focusout') {
    if (/^\d{4,15}$/.test(value)) target.value = grouped.format(Number(value));
  } else if (/^\d[\d,]*,[\d,]*$/.test(value)) {
    target.value = value.replaceAll(',', '');
    // The new text is not selected, as it is after the Tab key.
    target.select();
  }
}
for (const type of ['focusin', 'focusout']) document.addEventListener(type, showAmount);

const date = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const local = new Intl.DateTimeFormat('en-GB', {
  ...date,
  ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
});
const localDay = new Intl.DateTimeFormat('en-GB', date);
for (const time of document.querySelectorAll<HTMLTimeElement>('time[datetime]')) {
  time.title = time.textContent;
  const format = time.title.includes(':') ? local : localDay;
  if (time.title.endsWith('UTC')) time.textContent = format.format(new Date(time.dateTime));
}

const openMenus = () => document.querySelectorAll<HTMLDetailsElement>('details.menu[open]');
document.addEventListener('keydown', ({ key }) => {
  const [menu] = key === 'Escape' ? openMenus() : [];
  if (menu === undefined) return;
  menu.open = false;
  menu.querySelector('summary')?.focus();
});
document.addEventListener('click', ({ target }) => {
  for (const menu of openMenus()) if (!menu.contains(target as Node)) menu.open = false;
});

type Fields = readonly (readonly [name: string, value: string])[];

/** What a form has in it, and the messages of its last rejection. */
interface Kept {
  /** Of the form as it was opened once, so that two of them are two. */
  readonly id: number;
  readonly user: string | undefined;
  readonly page: string | undefined;
  readonly fields: Fields;
  readonly messages: string | undefined;
  /** The names of the fields that were typed into. */
  readonly typed: readonly string[];
  /** When it was typed, in milliseconds. */
  readonly at: number;
  /** Whether it was sent, so that only the response is about it. */
  readonly isSent?: boolean;
}

/** The values of a field. A number is the same without its commas, as it is while it has the focus. */
const valuesOf = (fields: Fields, name: string): string =>
  JSON.stringify(
    fields.flatMap(([each, value]) =>
      each === name ? [/^[\d,]+$/.test(value) ? value.replaceAll(',', '') : value] : [],
    ),
  );

/** The first of several, with what was typed into other fields in the next ones. Those that differ in a field are the rest. */
function merged(first: Kept, others: readonly Kept[]): { shown: Kept; rest: readonly Kept[] } {
  let shown = first;
  const rest = others.filter((other) => {
    const changed = other.typed.filter((name) => valuesOf(other.fields, name) !== valuesOf(shown.fields, name));
    const added = changed.filter((name) => !shown.typed.includes(name));
    const isAdded = ([name]: Fields[number]) => added.includes(name);
    const fields = [...shown.fields.filter((field) => !isAdded(field)), ...other.fields.filter(isAdded)];
    shown = { ...shown, fields, typed: [...shown.typed, ...added] };
    return added.length < changed.length;
  });
  return { shown, rest };
}

/** What was left of a form in this tab: each text as its own entry, the oldest first. */
const leftIn = (place: string): readonly Kept[] => JSON.parse(sessionStorage.getItem(place) ?? '[]');

const leftPlaces = () => Object.keys(sessionStorage).filter((key) => key.startsWith('left '));

/** Drops the oldest texts of all forms while the browser has no room for this one. */
function storeLeft(place: string, left: readonly Kept[]): void {
  try {
    sessionStorage.setItem(place, JSON.stringify(left));
  } catch {
    const all = new Map([...leftPlaces().map((each) => [each, leftIn(each)] as const), [place, left]]);
    const entries = [...all].flatMap(([of, kept]) => kept.map((entry) => ({ of, entry })));
    const [oldest] = entries.sort((one, other) => one.entry.at - other.entry.at);
    // There is no text left to drop.
    if (!oldest) return;
    const rest = all.get(oldest.of)?.filter((entry) => entry !== oldest.entry) ?? [];
    if (oldest.of !== place) sessionStorage.setItem(oldest.of, JSON.stringify(rest));
    storeLeft(place, oldest.of === place ? rest : left);
  }
}

/** After a save: keeps older texts of fields that an edit did not change, and none of a new item. */
function forgetSaved(): void {
  for (const place of leftPlaces()) {
    const sent = leftIn(place).find(({ isSent }) => isSent);
    if (!sent) continue;
    const isEdit = sent.fields.some(([name]) => name === 'etag');
    const isSaved = (name: string) => sent.typed.includes(name);
    const rest = leftIn(place).map((entry) => ({
      ...entry,
      typed: entry.typed.filter((name) => !isSaved(name)),
      fields: [...entry.fields.filter(([name]) => !isSaved(name)), ...sent.fields.filter(([name]) => isSaved(name))],
    }));
    storeLeft(place, isEdit ? rest.filter(({ typed }) => typed.length > 0) : []);
  }
}

/** What was typed into a field that is fixed now is shown, and sent, so that the response names it too. */
function showFixed(form: HTMLFormElement, fields: Fields): void {
  for (const [name, value] of fields) {
    const fixed = form.querySelector<HTMLInputElement>(`[data-fixed="${name}"]`);
    if (!fixed || [fixed.value, fixed.dataset.value].includes(value)) continue;
    const [sent, note] = [document.createElement('input'), document.createElement('p')];
    Object.assign(sent, { type: 'hidden', name, value });
    Object.assign(note, { className: 'error', textContent: `You had "${value}" here. It can no longer be saved.` });
    fixed.closest('.field')?.append(sent, note);
  }
}

/** Shows a message above the fields, with what can be done about it. */
function note(form: HTMLFormElement, text: string, choices: Readonly<Record<string, () => void>> = {}): Element {
  const box = document.createElement('div');
  box.className = 'flash flash-warm';
  box.setAttribute('role', 'status');
  box.append(text);
  for (const [label, act] of Object.entries(choices)) {
    const button = document.createElement('button');
    Object.assign(button, { type: 'button', className: 'quiet', textContent: label });
    button.addEventListener('click', () => {
      box.remove();
      act();
    });
    box.append(' ', button);
  }
  form.prepend(box);
  return box;
}

/** The messages of a rejection without those about the field of a control, which has another value now. */
function messagesWithout(messages: string, control: Element): string | undefined {
  const { content } = Object.assign(document.createElement('template'), { innerHTML: messages });
  const [alert] = content.children;
  const field = control.closest('.field');
  for (const link of content.querySelectorAll('li a'))
    if (field?.querySelector(link.getAttribute('href') ?? '')) link.closest('li')?.remove();
  const list = content.querySelector('ul:empty');
  list?.previousElementSibling?.remove();
  list?.remove();
  return alert?.hasChildNodes() ? alert.outerHTML : undefined;
}

/**
 * What is typed is kept in the entry of the browser's history, with the version of the item that it was typed on. The entry
 * becomes the page of the form, so that reloading a rejected form and going back to it lead to its form too. The tab keeps it
 * for the form's next page until it is sent.
 */
function keepTyped(form: HTMLFormElement): void {
  const { user, page = '', sent, opened: version } = form.dataset;
  const typedOn: Readonly<Record<string, string>> = JSON.parse(version ?? '{}');
  const controls = [...form.elements] as HTMLInputElement[];
  const all = () => [...new FormData(form)].filter(([, value]) => typeof value === 'string') as unknown as Fields;
  /** With the version before it was changed elsewhere, so that reloading a page with both versions does not hide one. */
  const fields = () => all().map(([name, value]) => [name, typedOn[name] ?? value] as const);
  const opened = fields();
  const own = (text: unknown) => ((text as Kept | null)?.user === user ? (text as Kept | null) : null);
  const kept = own(history.state);
  const typed = kept?.fields;
  const etag = form.elements.namedItem('etag') as HTMLInputElement | null;
  const current = etag?.value;
  for (const control of typed ? controls : []) {
    const { name, type } = control;
    const values = typed?.flatMap(([each, value]) => (each === name ? [value] : [])) ?? [];
    if (type === 'checkbox') control.checked = values.includes(control.value);
    else if (type === 'hidden' ? values.length === 1 && name !== 'csrf_token' : values.length > 0 && type !== 'file') {
      // The text below checkboxes has what none of them has.
      const others = controls.filter((other) => other.name === name && other !== control);
      control.value = values.filter((value) => !others.some((other) => other.value === value)).join(', ');
      const closed = type !== 'hidden' && control.value !== '' && control.closest('details');
      if (closed) closed.open = true;
    }
  }
  showFixed(form, typed ?? []);
  if (etag?.value !== current)
    note(form, 'The saved values have changed since you opened this form. It shows the earlier ones.');
  // Saving a page with both versions again shows them again.
  let messages = kept?.messages;
  if (sent !== undefined) messages = version ? undefined : document.querySelector('[role=alert]')?.outerHTML;
  else if (messages) form.insertAdjacentHTML('afterbegin', messages);
  const place = `left ${page.replace(/\?(from=[^&]*)?.*/, '?$1')}`;
  const entries = () => leftIn(place).filter(own);
  const store = (all: readonly Kept[]) => storeLeft(place, all);
  const before = sent === undefined ? kept : entries().find(({ isSent }) => isSent);
  const id = before?.id ?? Math.random();
  /** What was typed before, until it is shown or discarded. */
  const left = () => entries().filter((entry) => entry.id !== id && !entry.isSent);
  const names = [
    ...new Set(controls.flatMap(({ type, name, dataset }) => (type === 'hidden' ? [] : (dataset.fixed ?? name)))),
  ];
  const differing = (one: Fields, other: Fields) =>
    names.filter((name) => valuesOf(one, name) !== valuesOf(other, name));
  const typedBefore = sent === undefined ? [] : (before?.typed ?? names);
  const inForm = (): Kept => {
    const now = fields();
    const typed = [...new Set([...typedBefore, ...differing(now, opened)])];
    return { id, user, page, fields: now, messages, typed, at: Date.now() };
  };
  let [isUnsaved, isReplaced] = [sent !== undefined, false];
  const shownNow = fields();
  const isHidden = (name: string) =>
    left().some(({ fields, typed }) => typed.includes(name) && valuesOf(fields, name) !== valuesOf(shownNow, name));
  const labels = controls.flatMap((control) => {
    const label = control.closest('.field')?.querySelector('legend, label')?.textContent.replace(' (required)', '');
    return isHidden(control.dataset.fixed ?? control.name) ? (label ?? []) : [];
  });
  if (labels.length > 0 && !isUnsaved) {
    const offer = note(form, `This form had other values when you left it: ${[...new Set(labels)].join(', ')}.`, {
      'Show what you typed': () => {
        const [first, ...others] = left();
        if (!first) return;
        const { shown, rest } = merged(first, [...others, inForm()]);
        isReplaced = true;
        store([...rest, shown]);
        history.replaceState(shown, '', shown.page);
        location.reload();
      },
      Discard: () => store(entries().filter((entry) => entry.id === id)),
    });
    // A page that the browser restores may still offer what was saved meanwhile.
    window.addEventListener('pageshow', () => names.some(isHidden) || offer.remove());
  }
  let timer: number | undefined;
  const keep = (): void => {
    window.clearTimeout(timer);
    if (isReplaced || (sent === undefined && !history.state && JSON.stringify(fields()) === JSON.stringify(opened)))
      return;
    const now = inForm();
    history.replaceState(now, '', page);
    if (isUnsaved) store([...left(), ...(now.typed.length > 0 ? [now] : [])]);
  };
  form.addEventListener('input', ({ target }) => {
    isUnsaved = true;
    messages &&= messagesWithout(messages, target as Element);
    window.clearTimeout(timer);
    timer = window.setTimeout(keep, 300);
  });
  // Going back to this entry continues from what this press saves, and not from that of another entry, tab or window.
  form.addEventListener('submit', () => {
    isUnsaved = false;
    messages = undefined;
    store([...left(), { ...inForm(), isSent: true }]);
    const [press, continues] = ['press', 'continues'].map((name) => form.elements.namedItem(name) as HTMLInputElement);
    if (!press || !continues) return;
    continues.value = press.value;
    press.value = String(Math.random());
  });
  for (const type of ['change', 'focusout', 'submit']) form.addEventListener(type, keep);
  // What was typed just before: reloading has begun when the page is hidden.
  for (const type of ['beforeunload', 'pagehide']) window.addEventListener(type, keep);
  // Going back to the response of a form would be an error of the browser.
  if (sent !== undefined) keep();
}
if (document.querySelector('main > .flash-good')) forgetSaved();
const form = document.querySelector<HTMLFormElement>('form[data-user]');
if (form) keepTyped(form);
// Going back to the response of an action would be an error of the browser, so its entry becomes the page of the question.
else if (document.querySelector('main[data-rejected]') && document.referrer)
  history.replaceState(null, '', document.referrer);

document.querySelector<HTMLFormElement>('form[data-continue]')?.submit();

// A page that comes back from memory has what was typed into its filter, and the list of before.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) for (const filters of document.querySelectorAll<HTMLFormElement>('form.filters')) filters.reset();
});

// The entry of the list in the browser's history has the ticks.
const back = document.querySelector<HTMLAnchorElement>('a[data-back]');
back?.addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (history.length === 1 || document.referrer !== back.href) return;
  event.preventDefault();
  history.back();
});

const all = document.querySelector<HTMLInputElement>('[data-ticks]');
const rows = [...document.querySelectorAll<HTMLInputElement>('input[form="selected"][name="id"]')];
const showAll = () => {
  if (all) all.checked = rows.every(({ checked }) => checked);
};
/** In the entry of the browser's history, by their ids: rows may have moved when it is shown again. */
const keepTicks = () => {
  const ticked = rows.filter(({ checked }) => checked).map(({ value }) => value);
  history.replaceState({ ticked }, '');
};
const ticked: readonly string[] = history.state?.ticked ?? [];
for (const row of rows) row.checked = ticked.includes(row.value);
if (ticked.length > 0) showAll();
all?.addEventListener('change', () => {
  for (const row of rows) row.checked = all.checked;
  keepTicks();
});
for (const row of rows)
  row.addEventListener('change', () => {
    showAll();
    keepTicks();
  });
