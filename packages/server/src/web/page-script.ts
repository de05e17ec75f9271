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

const local = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
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

document.querySelector('form[data-continue]')?.submit();

const all = document.querySelector('[data-ticks]');
all?.addEventListener('change', () => {
  for (const box of document.querySelectorAll('input[form="selected"][name="id"]')) box.checked = all.checked;
});
`;
export const pageScriptPath = '/assets/pages.js';
