import { el, labeled } from '../dom.js';
import { type Panel, type PanelSection, row } from '../panel.js';
import type { RequestList } from '../request-list.js';

/** The requests as they come. */
export function requestsSection(panel: Panel, requests: RequestList): PanelSection {
  const { control } = panel;
  const clear = async (): Promise<void> => {
    await control.requests.clear();
    requests.clear();
  };
  const filter = el('input', { type: 'search', size: '22', placeholder: 'POST, campaigns, 503' });
  filter.addEventListener('input', () => requests.filter(filter.value));
  return {
    element: panel.section(
      'Requests',
      row(labeled('Filter', filter), panel.button('Clear', clear, 'The requests were cleared.')),
      el('div', { class: 'requests', tabindex: '0', role: 'group', 'aria-label': 'Live requests' }, requests.element),
    ),
    async update() {
      if (!control.subscribe) await requests.poll();
    },
  };
}
