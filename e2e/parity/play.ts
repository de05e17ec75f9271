import type { RemoteControl } from '@mkt/mock-server/control';
import { type Step, steps } from './steps.js';

/** The verbs that the comparison needs: of a mock, or of a server over HTTP. */
export interface Played {
  /** Where `fetch` finds the API. */
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly control: {
    readonly reset: () => Promise<void>;
    readonly clock: { readonly freeze: (at: string) => unknown };
    readonly faults: {
      readonly add: (rule: Parameters<RemoteControl['faults']['add']>[0]) => unknown;
      readonly clear: () => unknown;
    };
  };
}

/** What came of a step, as JSON: everything that the contract promises about an answer. */
export interface Outcome {
  readonly name: string;
  readonly status: number | string;
  readonly statusText?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What no two servers agree on: when, over which connection, and how the body was framed. */
const ofTheConnection = [
  'connection',
  'content-encoding',
  'content-length',
  'date',
  'keep-alive',
  'transfer-encoding',
  'x-request-id',
];
/** Why a web action was refused, for the next page (D39). The mock has no pages, and each server signs with its own secret. */
const ofThePages = ['set-cookie'];

/** What is random, and what each runtime words in its own way. */
const varying: readonly (readonly [RegExp, string])[] = [
  [/\/images\/[\w-]+/g, '/images/KEY'],
  [/"token":"mkt_[\w-]+"/g, '"token":"SECRET"'],
  [/is not valid JSON: [^"]+/g, 'is not valid JSON: REASON'],
];
const told = (text: string): string => varying.reduce((rest, [pattern, name]) => rest.replace(pattern, name), text);

const formOf = (fields: NonNullable<Step['form']>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, new File([Uint8Array.from(value)], 'ü.png', { type: 'image/png' }));
  }
  return form;
};

function initOf(step: Step, etag: string | null): RequestInit {
  const { token = 'mkt_demo_ada_write', json, text, form, conditional, patience } = step;
  const type = text?.[0] ?? (json === undefined ? undefined : 'application/json');
  const body = text?.[1] ?? (form ? formOf(form) : json === undefined ? undefined : JSON.stringify(json));
  return {
    method: step.method ?? 'GET',
    redirect: 'manual',
    headers: {
      Accept: 'application/json',
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(type === undefined ? {} : { 'Content-Type': type }),
      ...(conditional && etag !== null ? { 'If-None-Match': etag } : {}),
      ...step.headers,
    },
    ...(body === undefined ? {} : { body }),
    ...(patience === undefined ? {} : { signal: AbortSignal.timeout(patience) }),
  };
}

async function outcomeOf(
  name: string,
  ask: () => Promise<Response>,
): Promise<{ outcome: Outcome; etag: string | null }> {
  let response: Response;
  try {
    response = await ask();
  } catch (error) {
    const gaveUp = error instanceof DOMException && error.name === 'TimeoutError';
    return { outcome: { name, status: gaveUp ? 'gave up' : 'network error' }, etag: null };
  }
  const { status, statusText, type } = response;
  if (type === 'opaqueredirect') return { outcome: { name, status: 'opaque redirect' }, etag: null };
  const kept = [...response.headers].filter(([header]) => ![...ofTheConnection, ...ofThePages].includes(header));
  const headers = Object.fromEntries(kept.map(([header, value]) => [header, told(value)]).sort());
  const body = await response.text().then(told, () => 'broke off');
  return { outcome: { name, status, statusText, headers, body }, etag: response.headers.get('etag') };
}

/** Makes every call, one after the other, from the beginning of the demo data at a frozen clock. */
export async function play({ url, fetch, control }: Played): Promise<Outcome[]> {
  await control.reset();
  await control.clock.freeze('2026-06-01T12:00:00Z');
  const outcomes: Outcome[] = [];
  let last: string | null = null;
  for (const step of steps) {
    if (step.fault) await control.faults.add(step.fault);
    const { outcome, etag } = await outcomeOf(step.name, () => fetch(url + step.path, initOf(step, last)));
    if (step.fault) await control.faults.clear();
    outcomes.push(outcome);
    last = etag ?? last;
  }
  return outcomes;
}
