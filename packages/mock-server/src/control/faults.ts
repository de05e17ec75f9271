import type { PendingRequest } from '@mkt/server';
import { ControlError, checked } from './errors.js';
import { type Fault, type FaultRule, faultRule } from './fault-rules.js';
import { pathMatches } from './matching.js';

/** The injected faults. The first one that applies to a request takes effect; the others do not count it. */
export interface Faults {
  /** Adds a rule after the existing ones. */
  add(rule: FaultRule): Fault;
  list(): readonly Fault[];
  /** A fault with its counts. @throws {ControlError} if no fault has this id */
  get(id: string): Fault;
  /** Removes a fault. Returns whether it existed. */
  remove(id: string): boolean;
  /** Removes all faults, and ends hanging requests. */
  clear(): void;
}

type Counted = { -readonly [Key in keyof Fault]: Fault[Key] };

const isStaleEtag = ({ effect }: FaultRule): boolean =>
  effect === 'staleEtag' || (typeof effect === 'object' && 'staleEtag' in effect);

/** Operation and user are only looked up if the rule needs them. */
async function isFor(rule: FaultRule, request: PendingRequest): Promise<boolean> {
  const { operation, method, path, user } = rule.match ?? {};
  const { exchange } = request;
  if (isStaleEtag(rule) && exchange.header('if-none-match') === null) return false;
  if (method !== undefined && method.toUpperCase() !== exchange.method) return false;
  if (path !== undefined && !pathMatches(path, exchange.url.pathname)) return false;
  if (operation !== undefined && operation !== (await request.operation())) return false;
  return user === undefined || (await request.user()).includes(user);
}

/** Counts the request. Returns whether the fault applies to it. */
function countAndCheck(fault: Counted): boolean {
  const { after = 0, every = 1, times = Number.POSITIVE_INFINITY } = fault;
  if (fault.hits >= times) return false;
  fault.seen += 1;
  const place = fault.seen - after;
  if (place <= 0 || place % every !== 0) return false;
  fault.hits += 1;
  return true;
}

export class FaultList implements Faults {
  #faults: Counted[] = [];
  #next = 1;
  #cleared = new AbortController();
  /** Called after a fault was added, removed or applied. */
  onChange = (): void => undefined;

  /** @param hasUsualUserIds Whether all ids of users start with `usr_`, as those do that the marketplace chooses. */
  constructor(public hasUsualUserIds = false) {}

  add(rule: FaultRule): Fault {
    const given = checked('fault', faultRule, rule);
    const user = given.match?.user;
    if (this.hasUsualUserIds && user !== undefined && !/^usr_.|.@./.test(user))
      throw new ControlError(`fault.match.user must be an id such as usr_ada or an e-mail address. It is ${user}.`);
    const fault: Counted = { ...given, id: `fault_${this.#next++}`, seen: 0, hits: 0 };
    this.#faults.push(fault);
    this.onChange();
    return { ...fault };
  }

  list(): readonly Fault[] {
    return this.#faults.map((fault) => ({ ...fault }));
  }

  get(id: string): Fault {
    const fault = this.#faults.find((one) => one.id === id);
    if (!fault) throw new ControlError(`There is no fault ${id}. It was removed or never added.`);
    return { ...fault };
  }

  remove(id: string): boolean {
    const before = this.#faults.length;
    this.#faults = this.#faults.filter((fault) => fault.id !== id);
    this.onChange();
    return this.#faults.length < before;
  }

  clear(): void {
    this.#faults = [];
    this.#cleared.abort();
    this.#cleared = new AbortController();
    this.onChange();
  }

  /** Aborts when faults are cleared, which ends hanging requests. */
  get cleared(): AbortSignal {
    return this.#cleared.signal;
  }

  /** Counts a request, and returns the fault that applies to it. */
  async match(request: PendingRequest): Promise<Fault | null> {
    for (const fault of this.#faults) {
      if (!(await isFor(fault, request)) || !countAndCheck(fault)) continue;
      this.onChange();
      return fault;
    }
    return null;
  }

  get isEmpty(): boolean {
    return this.#faults.length === 0;
  }

  /** Restores faults as `list()` returned them, including counts. */
  load(faults: readonly Fault[]): void {
    this.clear();
    this.#faults = faults.map((fault) => ({ ...fault }));
    const numbers = faults.map(({ id }) => Number(/^fault_(\d{1,15})$/.exec(id)?.[1] ?? 0));
    this.#next = Math.max(this.#next, ...numbers.map((number) => number + 1));
    this.onChange();
  }
}
