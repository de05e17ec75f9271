import { endpoints } from '@mkt/sdk/contract';
import type { Fault, FaultEffect, FaultMatch } from '../../control-types.js';
import { el, labeled } from '../dom.js';
import { type Panel, type PanelSection, row } from '../panel.js';

/** Faults that a front end should handle. */
const effects: Readonly<Record<string, FaultEffect>> = {
  'Error 503': { status: 503, retryAfter: 1 },
  'Error 500': { status: 500 },
  'Error 401': { status: 401 },
  'Error 403': { status: 403 },
  'Error 404': { status: 404 },
  'Error 422': { status: 422 },
  'Rate limit 429': { status: 429, retryAfter: 1 },
  'Slow 503': { delay: 2000, status: 503 },
  'Slow 2 s': { delay: 2000 },
  'No connection': 'drop',
  'No response': 'hang',
  'Broken body': { truncate: 100 },
  'Broken JSON': 'malformed',
  'HTML page': 'wrongType',
};

function faultText({ effect, match = {}, times, hits }: Fault): string {
  const of = Object.values(match).join(', ') || 'every request';
  const name = typeof effect === 'string' ? effect : JSON.stringify(effect);
  const applied = times === undefined ? `${hits}` : `${hits} of ${times}`;
  return `${name} for ${of}, applied ${applied} ${(times ?? hits) === 1 ? 'time' : 'times'}`;
}

/** Adds faults, and lists those that are active. */
export function faultsSection(panel: Panel): PanelSection {
  const { control } = panel;
  const operation = el(
    'select',
    {},
    el('option', { value: '' }, 'every request'),
    ...endpoints.map(({ operation }) => el('option', { value: operation }, operation)),
  );
  const times = el('input', { type: 'number', min: '1', size: '4', placeholder: 'always' });
  const addFault = async (effect: FaultEffect): Promise<string> => {
    const match = operation.value === '' ? {} : { match: { operation: operation.value } as FaultMatch };
    const limit = times.value === '' ? {} : { times: Number(times.value) };
    const { id } = await control.faults.add({ ...match, effect, ...limit });
    return `${id} was added.`;
  };
  const remove = async (id: string): Promise<string> =>
    (await control.faults.remove(id)) ? `${id} was removed.` : `${id} was removed before.`;
  const item = (fault: Fault): HTMLElement => {
    const { id } = fault;
    const button = panel.button('Remove', () => remove(id), undefined, { 'aria-label': `Remove ${id}` });
    return el('li', {}, faultText(fault), button);
  };
  const active = el('ul', { 'aria-label': 'Active faults' });
  let shown = '';
  const clear = panel.button('Remove all', () => control.faults.clear(), 'All faults were removed.', { hidden: true });
  return {
    element: panel.section(
      'Faults',
      row(labeled('For', operation), labeled('Times', times)),
      row(...Object.entries(effects).map(([label, effect]) => panel.button(label, () => addFault(effect)))),
      active,
      clear,
    ),
    async refresh() {
      const faults = await control.faults.list();
      // Buttons that stay can be clicked.
      const texts = JSON.stringify(faults);
      if (texts === shown) return;
      shown = texts;
      const { activeElement } = active.getRootNode() as ShadowRoot;
      const focused = active.contains(activeElement) ? activeElement?.getAttribute('aria-label') : null;
      active.replaceChildren(...faults.map(item));
      clear.hidden = faults.length === 0;
      // Otherwise the keyboard would start again at the top of the page.
      const heading = active.parentElement?.querySelector<HTMLElement>('h2, h3');
      if (focused) (active.querySelector<HTMLElement>(`[aria-label="${focused}"]`) ?? heading)?.focus();
    },
  };
}
