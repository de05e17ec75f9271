import { pick, type Row, textAt, valueAt } from '../text/values.js';
import { isSame, isUnset } from './compare.js';
import { BANNER, type Declared } from './declaration.js';
import { type Kind, transitionPath } from './kinds.js';

/** What was done to one resource: how it was before and after, undefined where it did not exist. */
export interface Effect {
  readonly kind: Kind;
  readonly id: string;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

export interface Inverse {
  /** What takes it back; undefined if nothing can or has to be done. */
  readonly declared?: Declared;
  /** Why all or a part of it stays as it is, and what is closest. */
  readonly irreversible: readonly string[];
}

type Reasons = Partial<Readonly<Record<Kind['name'], (id: string) => string>>>;

const whyDeletedForever: Reasons = {
  members: () => 'A member who was removed has to be invited again, on the website.',
  organizations: () => 'A deleted organization is gone. Closest: mkt organizations create',
  accessTokens: () => 'A revoked token does not work again. Closest: mkt tokens create',
};

const whyNotDeleted: Reasons = {
  organizations: (id) => `An organization is not deleted by an undo. To delete it: mkt organizations delete ${id}`,
  accessTokens: (id) => `A token is not revoked by an undo. To revoke it: mkt tokens revoke ${id}`,
};

const whyNeverDraftAgain: Reasons = {
  campaigns: (id) => `A published campaign cannot become a draft again. Closest: mkt campaigns pause ${id}`,
  collabs: (id) =>
    `A submitted collab cannot become a draft again. The marketplace reviews it; afterwards: mkt collabs pause ${id}`,
};

/** A declaration that no file contains. */
const declare = (kind: Kind, given: Partial<Declared>): Inverse => ({
  declared: {
    kind,
    id: undefined,
    name: undefined,
    isDeleted: false,
    fields: {},
    state: undefined,
    positionOf: () => ({ line: 0, column: 0 }),
    ...given,
  },
  irreversible: [],
});

const impossible = (...irreversible: string[]): Inverse => ({ irreversible });

function restored({ kind, id }: Effect, before: Row, after: Row, place: string): Inverse {
  const { resource, states, fields: settable } = kind;
  const { locked } = resource;
  const isLocked = (field: string) =>
    locked?.fields.includes(field) === true && (valueAt(after, locked.since) ?? null) !== null;
  const fields: Record<string, unknown> = {};
  const irreversible: string[] = [];
  for (const field of Object.keys(after)) {
    const value = valueAt(before, field) ?? null;
    if (field === states.field || isUnset(resource, field) || isSame(resource, field, value, valueAt(after, field)))
      continue;
    if (field in settable && field !== BANNER && !isLocked(field)) fields[field] = value;
    else irreversible.push(`${field} cannot be set back.`);
  }
  const [was, is] = [before, after].map((row) => textAt(row, states.field));
  const isMoved = kind.isDraft && was !== undefined && is !== undefined && was !== is;
  const state = isMoved && transitionPath(kind, is, was)?.to === was ? was : undefined;
  if (isMoved && state === undefined)
    irreversible.push(
      (was === states.initial ? whyNeverDraftAgain[kind.name]?.(`${id}${place}`) : undefined) ??
        `${states.field} cannot go back from ${is} to ${was}.`,
    );
  if (Object.keys(fields).length === 0 && state === undefined) return impossible(...irreversible);
  return { ...declare(kind, { id, fields, state }), irreversible };
}

/**
 * The declaration that takes an effect back when it is applied.
 * @param place flags for the same organization, for commands in reasons
 */
export function inverseOf(effect: Effect, place = ''): Inverse {
  const { kind, id, before, after } = effect;
  if (after === undefined) {
    if (before === undefined) return impossible();
    const reason = whyDeletedForever[kind.name]?.(id);
    return reason === undefined
      ? declare(kind, { fields: { ...pick(before, Object.keys(kind.fields)) } })
      : impossible(reason);
  }
  if (before !== undefined) return restored(effect, before, after, place);
  const reason = whyNotDeleted[kind.name]?.(id);
  if (reason !== undefined) return impossible(reason);
  const state = textAt(after, kind.states.field);
  if (state === kind.states.initial) return declare(kind, { id, isDeleted: true });
  return impossible(
    `Only a draft can be deleted, and it is ${state}. ${whyNeverDraftAgain[kind.name]?.(`${id}${place}`) ?? ''}`.trim(),
  );
}
