/** What pages do better with scripts. Everything works without them. */
export const pageScript = `const grouped = new Intl.NumberFormat('en-US');
const amounts = '[inputmode="numeric"]';
for (const [type, show] of [
  ['focusin', (text) => text.replace(/,/g, '')],
  ['focusout', (text) => (/^\\d{4,15}$/.test(text) ? grouped.format(text) : text)],
])
  document.addEventListener(type, ({ target }) => {
    if (!target.matches?.(amounts) || /[^\\d,]/.test(target.value) || show(target.value) === target.value) return;
    target.value = show(target.value);
    // The new text is not selected, as it is after the Tab key.
    if (type === 'focusin') target.select();
  });

const local = new Intl.DateTimeFormat('en-GB', {
  ...{ day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', timeZoneName: 'short' },
});
for (const time of document.querySelectorAll('time[datetime]')) {
  time.title = time.textContent;
  if (time.textContent.endsWith('UTC')) time.textContent = local.format(new Date(time.dateTime));
}

document.addEventListener('keydown', ({ key }) => {
  const menu = key === 'Escape' && document.querySelector('details.menu[open]');
  if (!menu) return;
  menu.open = false;
  menu.firstElementChild.focus();
});
document.addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll('details.menu[open]')) if (!menu.contains(target)) menu.open = false;
});

// What is typed is kept in the entry of the browser's history, with the version of the item that it was typed on.
const form = document.querySelector('form[data-user]');
if (form) {
  const { user } = form.dataset;
  const fields = () => [...new FormData(form)].filter(([, value]) => typeof value === 'string');
  const opened = JSON.stringify(fields());
  const typed = history.state?.user === user ? history.state.fields : [];
  for (const control of typed.length > 0 ? form.elements : []) {
    const { name, type } = control;
    const values = typed.flatMap(([each, value]) => (each === name ? [value] : []));
    if (type === 'checkbox') control.checked = values.includes(control.value);
    else if (type === 'hidden' ? values.length === 1 && name !== 'csrf_token' : values.length > 0 && type !== 'file') {
      // The text below checkboxes has what none of them has.
      const others = [...form.elements].filter((other) => other.name === name && other !== control);
      control.value = values.filter((value) => !others.some((other) => other.value === value)).join(', ');
    }
  }
  let timer;
  const keep = () => {
    clearTimeout(timer);
    if (history.state || JSON.stringify(fields()) !== opened) history.replaceState({ user, fields: fields() }, '');
  };
  form.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(keep, 300);
  });
  for (const type of ['change', 'focusout', 'submit']) form.addEventListener(type, keep);
}

document.querySelector('form[data-continue]')?.submit();

const all = document.querySelector('[data-ticks]');
all?.addEventListener('change', () => {
  for (const box of document.querySelectorAll('input[form="selected"][name="id"]')) box.checked = all.checked;
});
`;
export const pageScriptPath = '/assets/pages.js';
