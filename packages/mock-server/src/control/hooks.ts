import type { AppHooks, Exchange, PendingRequest } from '@mkt/server';
import { applyEffect } from './effects.js';
import type { Fault } from './fault-rules.js';
import type { Listed } from './mistakes.js';
import type { ControlState } from './state.js';

export type ControlHooks = Required<Pick<AppHooks, 'clock' | 'beforeRequest' | 'afterResponse'>>;

/** Functions are not JSON, so such a fault is not part of snapshots. */
export const isJson = ({ effect }: Fault): boolean =>
  !(typeof effect === 'object' && 'patch' in effect && typeof effect.patch === 'function');

/** Browsers send preflights, not clients. Faults and the log are about the requests of clients. */
const isControlled = ({ method }: Exchange): boolean => method !== 'OPTIONS';

/** The hooks of the app through which the controls act on requests. */
export function createHooks({ clock, faults, requests, ...state }: ControlState): ControlHooks {
  const { store, overrides, failures, events, latency, simulation, strict } = state;
  const mistakes = new WeakMap<Exchange, Listed>();
  /** The ids of the faults that were applied to requests. */
  const appliedFaults = new WeakMap<Exchange, string>();

  const respond = async (pending: PendingRequest): Promise<Response> => {
    const response = await withFaults(pending);
    if (strict) {
      const { mistakesIn } = await import('./on-demand.js');
      const { exchange } = pending;
      exchange.operation ??= await pending.operation();
      mistakes.set(exchange, await mistakesIn(exchange, response, store, strict));
    }
    return response;
  };

  const withFaults = async (pending: PendingRequest): Promise<Response> => {
    const { exchange } = pending;
    const overridden = () => failures.report(exchange, 'An override', () => overrides.respond(pending));
    const respond = async () => (overrides.isEmpty ? undefined : await overridden()) ?? pending.respond();
    const request = { ...pending, respond };
    await latency.pause(exchange.request.signal);
    await simulation.update(exchange.request.url);
    const fault = await faults.match(request);
    if (!fault) return request.respond();
    appliedFaults.set(exchange, fault.id);
    const apply = () => applyEffect(fault, request, faults.cleared);
    const response = await (isJson(fault) ? apply() : failures.report(exchange, `The patch of ${fault.id}`, apply));
    exchange.operation ??= await request.operation();
    return response;
  };
  const isIdle = (): boolean =>
    !strict && faults.isEmpty && overrides.isEmpty && latency.current === 0 && !simulation.options;

  return {
    clock: clock.now,
    // Null while there is nothing to do: a function that always runs would take 8 % more CPU time in `the same with test
    // controls`.
    beforeRequest: (exchange) => (isIdle() || !isControlled(exchange) ? null : respond),
    afterResponse(exchange, response, milliseconds, arrivedAt) {
      if (!isControlled(exchange)) return;
      const { found = [], text } = mistakes.get(exchange) ?? {};
      const failure = failures.reasonFor(exchange) ?? text;
      const marks = { fault: appliedFaults.get(exchange) ?? null, failure, mistakes: found };
      requests.add(exchange, response, arrivedAt, milliseconds, marks);
      if (exchange.method !== 'GET' && exchange.method !== 'HEAD' && response.status < 400) events.emit('data');
    },
  };
}
