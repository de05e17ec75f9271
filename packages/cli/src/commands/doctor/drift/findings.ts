import type { Endpoint } from '@mkt/sdk/contract';

/** How an answer departs from the contract. */
export type Departing =
  | 'missing field'
  | 'unknown field'
  | 'unknown value'
  | 'wrong type'
  | 'wrong form'
  | 'status'
  | 'content type'
  | 'body'
  | 'paging'
  | 'etag'
  | 'head'
  | 'error body'
  | 'header'
  | 'no answer';

/** What else there is to say of an endpoint. */
type Standing = 'ok' | 'not visible' | 'not checked';

/** A departure before it is known how often it is met. */
export interface Departure {
  readonly kind: Departing;
  /** The field, header or request that it is about: `user.email`, `countries[]`, `Total-Count`. */
  readonly where: string;
  readonly expected: string;
  readonly got: string;
}

/** One line of the report. */
export interface Finding {
  readonly endpoint: string;
  readonly method: string;
  readonly path: string;
  readonly kind: Departing | Standing;
  /** Of a departure where it is; of `not checked` the reason. */
  readonly where: string | null;
  readonly expected: string | null;
  readonly got: string | null;
  /** How often it was met; of `ok`, how many answers were read. */
  readonly times: number;
}

interface Notes {
  readonly departures: Map<string, { readonly departure: Departure; times: number }>;
  answers: number;
  hidden: number;
  /** Why nothing could be asked. */
  unchecked: string | undefined;
}

/** What was found, by endpoint. Equal departures are counted and not repeated. */
export class Findings {
  readonly #notes: Map<Endpoint, Notes>;

  constructor(endpoints: readonly Endpoint[]) {
    this.#notes = new Map(
      endpoints.map((endpoint) => [endpoint, { departures: new Map(), answers: 0, hidden: 0, unchecked: undefined }]),
    );
  }

  departs(endpoint: Endpoint, departure: Departure): void {
    const departures = this.#of(endpoint).departures;
    const key = JSON.stringify(departure);
    const met = departures.get(key);
    if (met === undefined) departures.set(key, { departure, times: 1 });
    else met.times += 1;
  }

  /** An answer was read. */
  answered(endpoint: Endpoint): void {
    this.#of(endpoint).answers += 1;
  }

  /** The token may not see it (403, 404), in one place or at all. */
  notVisible(endpoint: Endpoint): void {
    this.#of(endpoint).hidden += 1;
  }

  notChecked(endpoint: Endpoint, reason: string): void {
    this.#of(endpoint).unchecked ??= reason;
  }

  /** How many departures there are, equal ones counted once. */
  get departures(): number {
    return [...this.#notes.values()].reduce((sum, { departures }) => sum + departures.size, 0);
  }

  /** Whether no answer was read yet that says anything. */
  get empty(): boolean {
    return [...this.#notes.values()].every(
      ({ departures, answers, hidden }) => departures.size + answers + hidden === 0,
    );
  }

  /** The report: endpoints in the contract's order, departures in the order in which they were met. */
  rows(): Finding[] {
    return [...this.#notes].flatMap(([endpoint, { departures, answers, hidden, unchecked }]) => {
      const { operation, method, path } = endpoint;
      const named = { endpoint: operation, method, path };
      const bare = { where: null, expected: null, got: null };
      const rows: Finding[] = [...departures.values()].map(({ departure, times }) => ({
        ...named,
        ...departure,
        times,
      }));
      if (rows.length === 0 && answers > 0) rows.push({ ...named, kind: 'ok', ...bare, times: answers });
      if (hidden > 0) rows.push({ ...named, kind: 'not visible', ...bare, times: hidden });
      if (rows.length === 0)
        rows.push({ ...named, kind: 'not checked', ...bare, where: unchecked ?? 'nothing to ask for', times: 0 });
      return rows;
    });
  }

  #of(endpoint: Endpoint): Notes {
    const notes = this.#notes.get(endpoint);
    if (notes === undefined) throw new Error(`${endpoint.operation} is not among the endpoints that are read.`);
    return notes;
  }
}
