import type { Acts, Control } from '@mkt/server';

export type * from '../verbs.js';

/** The same verbs, each of them a promise. */
type Remote<Verbs> = {
  readonly [Name in keyof Verbs]: Verbs[Name] extends (...values: infer Values) => infer Result
    ? (...values: Values) => Promise<Awaited<Result>>
    : Remote<Verbs[Name]>;
};

/** The control verbs of a running server, named as those of the mock. */
export type RemoteControl = Remote<Control>;

export interface ConnectOptions {
  /** The address that the server prints at its start: `http://127.0.0.1:4010/__mkt/v1`. */
  readonly url: string;
  /** The control token, printed there too. */
  readonly token: string;
  /** By default the platform's. */
  readonly fetch?: typeof fetch;
}

/** A verb that was refused, or that did not reach the server. */
export class RemoteControlError extends Error {
  override readonly name = 'RemoteControlError';
  constructor(
    message: string,
    /** The HTTP status; null when there was no answer. */
    readonly status: number | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The JSON that was answered, undefined where nothing was; null for something else. */
function jsonIn(text: string): { readonly value: unknown } | null {
  try {
    return { value: text === '' ? undefined : JSON.parse(text) };
  } catch (error) {
    // Something else than the control API answers at that address.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function caller({ url, token, fetch = globalThis.fetch }: ConnectOptions) {
  const base = url.replace(/\/+$/, '');
  const send = async (address: string, init: RequestInit): Promise<{ response: Response; text: string }> => {
    try {
      const response = await fetch(address, init);
      return { response, text: await response.text() };
    } catch (error) {
      throw new RemoteControlError(`The control API at ${base} cannot be reached. Is the server running?`, null, {
        cause: error,
      });
    }
  };
  return async <Result>(method: string, path: string, value?: unknown): Promise<Result> => {
    const { response, text } = await send(base + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(value === undefined ? {} : { body: JSON.stringify(value) }),
    });
    const told = jsonIn(text);
    if (response.ok && told) return told.value as Result;
    const { status } = response;
    const { error } = (told?.value ?? {}) as { error?: unknown };
    if (typeof error === 'string') throw new RemoteControlError(error, status);
    const hint = 'Give the address that the server prints, which ends in /__mkt/v1.';
    throw new RemoteControlError(
      `${base} is not the control API: it answers ${method} ${path} with ${status}. ${hint}`,
      status,
    );
  };
}

/**
 * Connects to the control API of a server that `mkt serve` started: what end-to-end tests use.
 * @example
 * const control = connectControl({ url: ready.control.url, token: ready.control.token });
 * await control.reset();
 * await control.faults.add({ match: { operation: 'campaigns.list' }, effect: { status: 503 }, times: 1 });
 */
export function connectControl(options: ConnectOptions): RemoteControl {
  const call = caller(options);
  const act =
    <Name extends keyof Acts>(name: Name) =>
    (...values: Parameters<Acts[Name]>): Promise<Awaited<ReturnType<Acts[Name]>>> =>
      call('POST', `/act/${name}`, values);
  const one = (id: string): string => `/faults/${encodeURIComponent(id)}`;

  return {
    reset: () => call('POST', '/reset'),
    snapshot: () => call('GET', '/snapshot'),
    restore: (snapshot) => call('PUT', '/snapshot', snapshot),
    seed: async (seed) => (await call<{ tokens: Record<string, string> }>('PUT', '/seed', { seed })).tokens,
    export: async () => (await call<{ seed: string }>('GET', '/seed')).seed,
    clock: {
      read: () => call('GET', '/clock'),
      set: (moment) => call('POST', '/clock/set', moment),
      advance: (by) => call('POST', '/clock/advance', by),
      freeze: (moment) => call('POST', '/clock/freeze', moment),
      resume: () => call('POST', '/clock/resume'),
    },
    faults: {
      add: (rule) => call('POST', '/faults', rule),
      list: () => call('GET', '/faults'),
      get: (id) => call('GET', one(id)),
      remove: (id) => call('DELETE', one(id)),
      clear: () => call('DELETE', '/faults'),
    },
    requests: {
      list: (filter = {}) => {
        const given = Object.entries(filter).filter(([, value]) => value !== undefined);
        const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
        return call('GET', `/requests${query.size > 0 ? `?${query}` : ''}`);
      },
      clear: () => call('DELETE', '/requests'),
    },
    act: {
      fundCampaign: act('fundCampaign'),
      finishCampaign: act('finishCampaign'),
      addCampaignResults: act('addCampaignResults'),
      reviewCollab: act('reviewCollab'),
      addCollabResults: act('addCollabResults'),
      syncSocialAccount: act('syncSocialAccount'),
      addMember: act('addMember'),
      setSubscription: act('setSubscription'),
    },
    createToken: (token) => call('POST', '/tokens', token),
    assertNoUnexpected: () => call('GET', '/unexpected'),
  };
}
