import { useCallback, useEffect, useRef, useState } from 'react';

/** What a request has come to. `data` stays while it is made again. */
export interface Asked<Data> {
  readonly data: Data | null;
  readonly error: Error | null;
  readonly busy: boolean;
  readonly again: () => void;
}

/** Makes a request when the screen appears and when `key` changes; the one before is given up then. */
export function useRequest<Data>(key: string, ask: (signal: AbortSignal) => PromiseLike<Data>): Asked<Data> {
  const [state, setState] = useState<{ key: string; data: Data | null; error: Error | null; busy: boolean }>({
    key,
    data: null,
    error: null,
    busy: true,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;

  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` asks again for the same key.
  useEffect(() => {
    const giveUp = new AbortController();
    setState((before) => ({ key, data: before.key === key ? before.data : null, error: null, busy: true }));
    latest.current(giveUp.signal).then(
      (data) => !giveUp.signal.aborted && setState({ key, data, error: null, busy: false }),
      (error: Error) =>
        !giveUp.signal.aborted && setState((before) => ({ key, data: before.data, error, busy: false })),
    );
    return () => giveUp.abort();
  }, [key, turn]);

  const again = useCallback(() => setTurn((count) => count + 1), []);
  return { data: state.key === key ? state.data : null, error: state.error, busy: state.busy, again };
}
