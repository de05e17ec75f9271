import type { Milliseconds } from '../../control-types.js';
import { el, form } from '../dom.js';
import { type Panel, type PanelSection, row } from '../panel.js';

const latencies: readonly (readonly [string, Milliseconds])[] = [
  ['None', 0],
  ['100 to 300 ms', [100, 300]],
  ['300 ms to 1 s', [300, 1000]],
  ['2 s', 2000],
];
const simulations: readonly (readonly [string, { readonly speed: number } | false])[] = [
  ['Off', false],
  ['Real time', { speed: 1 }],
  ['1 hour per second', { speed: 3600 }],
  ['1 day per second', { speed: 86_400 }],
];
const moves = { '+1 hour': { hours: 1 }, '+1 day': { days: 1 }, '+30 days': { days: 30 } };

/** A section with a button for each choice; that of the present value is pressed. */
function choiceSection<Value>(
  panel: Panel,
  title: string,
  choices: readonly (readonly [string, Value])[],
  choose: (value: Value) => unknown,
  present: () => unknown,
  ...more: readonly HTMLElement[]
): PanelSection {
  const buttons = choices.map(([label, value]) =>
    panel.button(label, () => choose(value), `${title}: ${label}.`, { 'aria-pressed': 'false' }),
  );
  return {
    element: panel.section(title, ...more, row(...buttons)),
    async refresh() {
      const value = JSON.stringify(await present());
      for (const [index, button] of buttons.entries())
        button.setAttribute('aria-pressed', String(JSON.stringify(choices[index]?.[1]) === value));
    },
  };
}

export const delaySection = (panel: Panel): PanelSection =>
  choiceSection(
    panel,
    'Delay of responses',
    latencies,
    (latency) => panel.control.setLatency(latency),
    () => panel.control.getLatency(),
  );

export const simulationSection = (panel: Panel): PanelSection =>
  choiceSection(
    panel,
    'Simulation',
    simulations,
    (options) => panel.control.simulate(options),
    () => panel.control.getSimulation(),
    el('p', { class: 'quiet' }, 'Active campaigns earn views and spend their budget. Load them again to see it.'),
  );

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
    ({ to = '' }) => void panel.run(() => control.clock.set(to), 'The clock was set.'),
  );
  return {
    element: panel.section('Clock', clock, row(freeze, ...steps), set),
    refresh: showClock,
    update: showClock,
  };
}
