/** Someone else's act: the marketplace reviews what was submitted (D38). */
const REVIEW = 'review';

type Edge = readonly [from: string, action: string, to: string];

/** The states of a noun and what leads from one to another (D37, D38). */
export interface States {
  readonly names: readonly string[];
  readonly edges: readonly Edge[];
  /** States that count as reached in those that can only follow them: nobody takes a review back. */
  readonly passed: Readonly<Record<string, readonly string[]>>;
}

export const campaignStates: States = {
  names: ['draft', 'active', 'paused', 'finished'],
  edges: [
    ['draft', 'publish', 'active'],
    ['active', 'pause', 'paused'],
    ['paused', 'resume', 'active'],
  ],
  passed: {},
};

export const collabStates: States = {
  names: ['draft', 'submitted_for_review', 'published', 'paused'],
  edges: [
    ['draft', 'submit', 'submitted_for_review'],
    ['submitted_for_review', REVIEW, 'published'],
    ['published', 'pause', 'paused'],
    ['paused', 'unpause', 'published'],
  ],
  passed: { submitted_for_review: ['published', 'paused'] },
};

/** The way from a state to a declared one. */
export interface Way {
  readonly actions: readonly string[];
  /** Where the actions lead: the declared state, or the one in which the review is waited for. */
  readonly to: string;
  readonly waitsForReview: boolean;
}

/** The shortest ways from a state to each that can be reached, itself included; breadth first. */
function waysFrom({ edges }: States, start: string): Map<string, readonly Edge[]> {
  const ways = new Map<string, readonly Edge[]>([[start, []]]);
  for (const [state, way] of ways) {
    for (const edge of edges) if (edge[0] === state && !ways.has(edge[2])) ways.set(edge[2], [...way, edge]);
  }
  return ways;
}

/** The states that a thing in this state can be brought to. */
export const reachable = (states: States, current: string): string[] => [...waysFrom(states, current).keys()];

/** What brings a thing from its state to the declared one; undefined where nothing does. */
export function wayTo(states: States, current: string, declared: string): Way | undefined {
  if (states.passed[declared]?.includes(current)) return { actions: [], to: current, waitsForReview: false };
  const way = waysFrom(states, current).get(declared);
  if (way === undefined) return undefined;
  const review = way.findIndex(([, action]) => action === REVIEW);
  const ours = review === -1 ? way : way.slice(0, review);
  return {
    actions: ours.map(([, action]) => action),
    to: ours.at(-1)?.[2] ?? current,
    waitsForReview: review !== -1,
  };
}
