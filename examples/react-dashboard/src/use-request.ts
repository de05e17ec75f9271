import { useCallback, useEffect, useEffectEvent, useState } from 'react';

/** What a request has come to. */
export interface Asked<Data> {
  /** The last answer. It stays while the next one is on its way: of another `key`, while `busy` is true. */
  readonly data: Data | null;
  readonly error: Error | null;
  readonly busy: boolean;
  readonly again: () => void;
}

interface Answer<Data> {
  /** What it answers. Before the first answer, nothing. */
  readonly to: string | null;
  readonly key: string | null;
  readonly data: Data | null;
  readonly error: Error | null;
}

/**
 * Makes a request when the screen appears and when `key` changes; the one before is given up then, so that a slow answer
 * never replaces a later one. A screen about something else gets a `key` of its own from React, and starts with nothing.
 */
export function useRequest<Data>(key: string, ask: (signal: AbortSignal) => PromiseLike<Data>): Asked<Data> {
  const [answer, setAnswer] = useState<Answer<Data>>({ to: null, key: null, data: null, error: null });
  const [turn, setTurn] = useState(0);
  const request = `${turn} ${key}`;
  const askNow = useEffectEvent((signal: AbortSignal) => ask(signal));

  useEffect(() => {
    const giveUp = new AbortController();
    const unlessGivenUp = (next: (before: Answer<Data>) => Answer<Data>): void => {
      if (!giveUp.signal.aborted) setAnswer(next);
    };
    askNow(giveUp.signal).then(
      (data) => unlessGivenUp(() => ({ to: request, key, data, error: null })),
      // What is known of the same thing stays on the screen, under the banner.
      (error: Error) =>
        unlessGivenUp((before) => ({ to: request, key, data: before.key === key ? before.data : null, error })),
    );
    return () => giveUp.abort();
  }, [key, request]);

  const again = useCallback(() => setTurn((count) => count + 1), []);
  const busy = answer.to !== request;
  return { data: answer.data, error: busy ? null : answer.error, busy, again };
}
