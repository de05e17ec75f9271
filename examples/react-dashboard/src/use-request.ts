import { useCallback, useEffect, useEffectEvent, useState } from 'react';

export interface RequestState<Data> {
  /** The last response. While `busy` is true it may belong to another `key`. */
  readonly data: Data | null;
  readonly error: Error | null;
  readonly busy: boolean;
  readonly retry: () => void;
}

interface Result<Data> {
  /** The request that it belongs to; null before the first result. */
  readonly request: string | null;
  readonly key: string | null;
  readonly data: Data | null;
  readonly error: Error | null;
}

/**
 * Sends a request when the screen appears and when `key` changes. The previous request is aborted, so that a slow response
 * never replaces a later one. Give a screen about another resource its own React `key`, so that it starts empty.
 */
export function useRequest<Data>(key: string, send: (signal: AbortSignal) => PromiseLike<Data>): RequestState<Data> {
  const [result, setResult] = useState<Result<Data>>({ request: null, key: null, data: null, error: null });
  const [attempt, setAttempt] = useState(0);
  const request = `${attempt} ${key}`;
  const sendNow = useEffectEvent((signal: AbortSignal) => send(signal));

  useEffect(() => {
    const controller = new AbortController();
    const update = (next: (previous: Result<Data>) => Result<Data>): void => {
      if (!controller.signal.aborted) setResult(next);
    };
    sendNow(controller.signal).then(
      (data) => update(() => ({ request, key, data, error: null })),
      // Data of the same key stays on the screen, below the error.
      (error: Error) =>
        update((previous) => ({ request, key, data: previous.key === key ? previous.data : null, error })),
    );
    return () => controller.abort();
  }, [key, request]);

  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  const busy = result.request !== request;
  return { data: result.data, error: busy ? null : result.error, busy, retry };
}
