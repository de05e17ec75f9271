import { el, form } from '../dom.js';
import { latencies, moves } from '../forms.js';
import { type Panel, type PanelSection, row } from '../panel.js';

/** Delays all responses. */
export function delaySection(panel: Panel): PanelSection {
  const buttons = latencies.map(([label, value]) => {
    return panel.button(label, () => panel.control.setLatency(value), `Delay of responses: ${label}.`, {
      'aria-pressed': 'false',
    });
  });
  return {
    element: panel.section('Delay of responses', row(...buttons)),
    async refresh() {
      const latency = await panel.control.getLatency();
      for (const [index, button] of buttons.entries())
        button.setAttribute('aria-pressed', String(JSON.stringify(latencies[index]?.[1]) === JSON.stringify(latency)));
    },
  };
}

/** Shows and moves the clock. */
export function clockSection(panel: Panel): PanelSection {
  const { control } = panel;
  const clock = el('p');
  let isFrozen = false;
  const freeze = panel.button('Freeze', () => (isFrozen ? control.clock.resume() : control.clock.freeze()));
  const showClock = async (): Promise<void> => {
    const { now, frozen } = await control.clock.read();
    isFrozen = frozen;
    clock.textContent = `${now.slice(0, 19).replace('T', ' ')} UTC${frozen ? ', frozen' : ''}`;
    freeze.textContent = frozen ? 'Resume' : 'Freeze';
  };
  const steps = Object.entries(moves).map(([label, by]) =>
    panel.button(label, () => control.clock.advance(by), 'The clock was moved.'),
  );
  const set = form(
    'Set',
    'Set',
    [{ name: 'to', label: 'Time (ISO 8601)', value: '2026-06-01T00:00:00Z' }],
    ({ to }) => void panel.run(() => control.clock.set(String(to)), 'The clock was set.'),
  );
  return {
    element: panel.section('Clock', clock, row(freeze, ...steps), set),
    refresh: showClock,
    update: showClock,
  };
}
