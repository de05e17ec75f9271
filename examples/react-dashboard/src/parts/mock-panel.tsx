import type { FaultRule, MarketplaceMock } from '@mkt/mock-server';
import { useState } from 'react';

/** Failures that a front end should handle. */
const weathers: Readonly<Record<string, FaultRule['effect'] | null>> = {
  'all is well': null,
  'API down': { status: 503, retryAfter: 0 },
  'no connection': 'drop',
  slow: { delay: 1500 },
};

const nameOf = (effect: FaultRule['effect'] | undefined): string =>
  Object.keys(weathers).find((name) => JSON.stringify(weathers[name]) === JSON.stringify(effect ?? null)) ??
  'all is well';

/** Switches the mock's faults on and off. Not shown with a server. */
export function MockPanel({ mock }: { readonly mock: MarketplaceMock }) {
  // Faults survive a reload, like the mock's data.
  const [weather, setWeather] = useState(() => nameOf(mock.faults.list()[0]?.effect));
  const change = (name: string): void => {
    mock.faults.clear();
    const effect = weathers[name];
    if (effect) mock.faults.add({ effect });
    setWeather(name);
  };
  const reset = async (): Promise<void> => {
    await mock.reset();
    location.reload();
  };
  return (
    <aside className="mock-panel" aria-label="Mock">
      <label>
        Mock:{' '}
        <select value={weather} onChange={({ target }) => change(target.value)}>
          {Object.keys(weathers).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <button type="button" className="quiet" onClick={() => void reset()}>
        Reset data
      </button>
    </aside>
  );
}
