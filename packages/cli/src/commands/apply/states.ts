import type { Endpoint, ResourceDescription } from '@mkt/sdk/contract';

interface Transition {
  readonly action: string;
  readonly from: readonly string[];
  readonly to: string;
  /** Whether the marketplace makes it, so that it can only be waited for. */
  readonly isWait: boolean;
}

/** The states of a resource, and the transitions that a declaration makes or waits for (D37, D38). */
export interface States {
  readonly field: string;
  readonly initial: string;
  readonly names: readonly string[];
  readonly transitions: readonly Transition[];
}

export function statesOf(
  { field, initial, names, marketplace }: NonNullable<ResourceDescription['states']>,
  endpoints: Readonly<Record<string, Endpoint>>,
): States {
  const own = Object.entries(endpoints).flatMap(([action, { transition }]) =>
    transition ? [{ ...transition, action, isWait: false }] : [],
  );
  const awaited = Object.entries(marketplace)
    .filter(([, transition]) => transition.awaited)
    .map(([action, transition]) => ({ ...transition, action, isWait: true }));
  return { field, initial, names, transitions: [...own, ...awaited] };
}

/** The path from a state to a declared one. */
export interface Way {
  readonly actions: readonly string[];
  /** Where the actions lead: the declared state, or the one in which the review is waited for. */
  readonly to: string;
  readonly waitsForReview: boolean;
}

/** The shortest paths from a state to each that can be reached, itself included; breadth first. */
function pathsFrom({ transitions }: States, start: string): Map<string, readonly Transition[]> {
  const paths = new Map<string, readonly Transition[]>([[start, []]]);
  for (const [state, path] of paths) {
    for (const next of transitions) {
      if (next.from.includes(state) && !paths.has(next.to)) paths.set(next.to, [...path, next]);
    }
  }
  return paths;
}

/** The states that a resource in this state can be brought to. */
export const reachable = (states: States, current: string): string[] => [...pathsFrom(states, current).keys()];

/** A state that only the marketplace leaves counts as reached in those that follow it: nobody takes a review back. */
function isPassed(states: States, declared: string, current: string): boolean {
  const leaving = states.transitions.filter(({ from }) => from.includes(declared));
  return leaving.length > 0 && leaving.every(({ isWait }) => isWait) && reachable(states, declared).includes(current);
}

/** What brings a resource from its state to the declared one; undefined where nothing does. */
export function wayTo(states: States, current: string, declared: string): Way | undefined {
  if (isPassed(states, declared, current)) return { actions: [], to: current, waitsForReview: false };
  const path = pathsFrom(states, current).get(declared);
  if (path === undefined) return undefined;
  const wait = path.findIndex(({ isWait }) => isWait);
  const ours = wait === -1 ? path : path.slice(0, wait);
  return { actions: ours.map(({ action }) => action), to: ours.at(-1)?.to ?? current, waitsForReview: wait !== -1 };
}
