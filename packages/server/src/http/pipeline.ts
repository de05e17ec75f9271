import type { Endpoint } from '@mkt/sdk/contract';
import type { Caller, Context, Input, Listing, PageRequest, Select } from '../rules/context.js';
import { RuleError } from '../rules/errors.js';
import type { Rule } from '../rules/index.js';
import { idFrom } from '../rules/policy.js';
import { CommitUnknown, type Reader, type Store, type Writer } from '../store/store.js';
import type { Row } from '../store/tables.js';
import type { Audit } from './audit.js';
import { type Access, authorizer, organizationParameter, type Parameters } from './authorizer.js';
import type { Exchange } from './exchange.js';
import type { InputServices } from './input.js';
import { changed, checkPreconditions, isConditional } from './preconditions.js';
import { badRequest, unauthorized } from './problems.js';

/** Shared by the pipelines of all endpoints. */
export interface Services extends InputServices {
  readonly store: Store;
  readonly pageSize: number;
  /** The current time as the API writes it. */
  readonly now: () => string;
  readonly random: (bytes: number) => string;
  readonly sha256: (text: string) => string;
  /** The sender of the request. @throws 401 */
  readonly identify: (reader: Reader, exchange: Exchange) => Promise<Caller>;
  readonly audit: Audit | undefined;
  /** Undefined if there are no pages. */
  readonly selectBy: ((exchange: Exchange) => Select) | undefined;
}

/** The representation of the resource that an endpoint changes. */
export interface Representation {
  /** The rule of its GET; null if it has none. */
  readonly rule: Rule | null;
  /** Null if its GET has no ETag. */
  readonly etagOf: (exchange: Exchange, row: object) => string | null;
  /** SHA-256 of its JSON. */
  readonly digestOf: (exchange: Exchange, row: object) => string;
  readonly bodyOf: (exchange: Exchange, row: object) => object;
}

/** The result of a request that was not rejected. */
export type Outcome =
  | { readonly kind: 'list'; readonly listing: Listing<object>; readonly page: PageRequest }
  | { readonly kind: 'item'; readonly row: object }
  | { readonly kind: 'done' }
  | { readonly kind: 'moved'; readonly row: object; readonly rejection: string | null };

/** The context of every rule. The rule's parameter type declares which parts it uses. */
interface RuleContext extends Context, Access {
  readonly organizationId: Row<'organizations'>['id'] | undefined;
}

export const firstPage: PageRequest = { number: '1', size: 1 };
export const noInput: Input<object> = { fields: {}, purge: false, image: null, prefill: null };

/**
 * The order of checks for all endpoints: token, write permission, organization visible, resource visible,
 * role, preconditions, body, fields, guards. What was checked before the body is read is checked again inside the
 * transaction, because a body may take its sender a minute, in which a right can end.
 */
export function pipeline(endpoint: Endpoint, rule: Rule, services: Services, current: Representation | null) {
  const steps = stepsOf(endpoint, rule, services, current);
  const { identified, authorized, currentBody } = steps;
  return {
    ...(endpoint.scope === 'read' ? { run: reading(steps), write: null } : writing(steps)),
    representation: (exchange: Exchange, parameters: Parameters): Promise<object | null> =>
      services.store.read(async (reader) => {
        const caller = await identified(reader, exchange);
        return currentBody(exchange, reader, caller, await authorized(reader, caller, parameters));
      }),
  };
}

type Steps = ReturnType<typeof stepsOf>;

/** The steps that reading and writing have in common. */
function stepsOf(endpoint: Endpoint, rule: Rule, services: Services, current: Representation | null) {
  const { identify, now, random, sha256 } = services;

  /** @throws 401 for a read token on a write */
  const identified = async (reader: Reader, exchange: Exchange): Promise<Caller> => {
    const caller = await identify(reader, exchange);
    exchange.identifiedAs(caller.userId);
    if (endpoint.scope === 'write' && caller.permission !== 'write')
      throw unauthorized(
        'This token is read-only, so it can only be used for GET and HEAD. Use a token with write permission.',
      );
    return caller;
  };

  const contextOf = (
    // Rules of read endpoints get a reader, because they write nothing.
    source: Reader,
    caller: Caller,
    { membership, resource }: Access,
    page = firstPage,
    time = now(),
  ): RuleContext => ({
    store: source as Writer,
    caller,
    now: time,
    random,
    sha256,
    page,
    membership,
    resource,
    organizationId: membership?.organization_id,
  });

  /** The row that GET would show; null if it would respond with 404. */
  const currentRow = (reader: Reader, caller: Caller, access: Access): Promise<object | null> | object | null =>
    current?.rule
      ? unlessGone(current.rule(contextOf(reader, caller, access), noInput) as Promise<object | null>)
      : access.resource;

  const currentBody = async (exchange: Exchange, reader: Reader, caller: Caller, access: Access) => {
    const row = await currentRow(reader, caller, access);
    return row && current ? current.bodyOf(exchange, row) : null;
  };

  const digestIn = async (exchange: Exchange, reader: Reader, caller: Caller, access: Access | null) => {
    const row = access && (await currentRow(reader, caller, access));
    return row && current ? current.digestOf(exchange, row) : null;
  };

  /** @throws 412 */
  const checkConditions = async (exchange: Exchange, reader: Reader, caller: Caller, access: Access): Promise<void> => {
    if (exchange.isAsShown) {
      const body = await currentBody(exchange, reader, caller, access);
      if (!(await exchange.isAsShown(body, reader))) throw changed(body !== null);
    }
    if (endpoint.method === 'POST' || !isConditional(exchange)) return;
    const row = await currentRow(reader, caller, access);
    const { updated_at, created_at } = (row ?? {}) as Readonly<Record<string, string>>;
    checkPreconditions(
      exchange,
      row && { etag: current?.etagOf(exchange, row) ?? null, updatedAt: updated_at ?? created_at ?? '' },
    );
  };

  return {
    endpoint,
    rule,
    services,
    current,
    identified,
    authorized: authorizer(endpoint),
    contextOf,
    currentBody,
    digestIn,
    checkConditions,
  };
}

function reading({ endpoint, rule, services, identified, authorized, contextOf }: Steps) {
  const { store, pageSize, selectBy } = services;
  return (exchange: Exchange, parameters: Parameters, part?: Partial<PageRequest>): Promise<Outcome> =>
    store.read(async (reader) => {
      const caller = await identified(reader, exchange);
      const access = await authorized(reader, caller, parameters);
      const page = endpoint.paginated ? { ...pageOf(exchange, pageSize, selectBy), ...part } : firstPage;
      const result = await rule(contextOf(reader, caller, access, page), noInput);
      return endpoint.paginated
        ? { kind: 'list', listing: result as Listing<object>, page }
        : { kind: 'item', row: result as object };
    });
}

function writing(steps: Steps) {
  const { endpoint, rule, services, current, identified, authorized, contextOf, digestIn, checkConditions } = steps;
  const { audit, store } = services;
  const inOrganization = organizationParameter(endpoint);
  const isNew = endpoint.status === 201;

  /** Who sends it, after the checks that come before the body is read. */
  const admittedCaller = (exchange: Exchange, parameters: Parameters): Promise<Caller> =>
    store.read(async (reader) => {
      const caller = await identified(reader, exchange);
      await checkConditions(exchange, reader, caller, await authorized(reader, caller, parameters));
      return caller;
    });

  const change = async (
    writer: Writer,
    exchange: Exchange,
    caller: Caller,
    parameters: Parameters,
    input: Input<unknown>,
  ) => {
    const access = await authorized(writer, caller, parameters);
    await checkConditions(exchange, writer, caller, access);
    const before = audit && !isNew ? await digestIn(exchange, writer, caller, access) : null;
    const outcome = await outcomeOf(endpoint, access, rule(contextOf(writer, caller, access), input));
    const row = isNew && outcome.kind === 'item' ? outcome.row : {};
    if (!audit) return { outcome, parameters, row, before, after: null };
    const after = isNew
      ? (current?.digestOf(exchange, row) ?? null)
      : await digestIn(exchange, writer, caller, await unlessGone(authorized(writer, caller, parameters)));
    return { outcome, parameters, row, before, after };
  };

  /** Runs `changesOf` in a transaction, after the checks that do not depend on the resource, and records the changes. */
  const transact = async (
    exchange: Exchange,
    caller: Caller,
    parameters: Parameters,
    changesOf: (writer: Writer) => Promise<readonly Change[]>,
  ): Promise<readonly Change[]> => {
    const audited = audit?.request();
    try {
      return await store.transact(async (writer) => {
        if (inOrganization === null) await writer.lock('users', caller.userId);
        else await writer.lock('organizations', idFrom(parameters[inOrganization] ?? '', writer), caller.userId);
        await identified(writer, exchange);
        await exchange.beforeWrite?.(writer);
        const changes = await changesOf(writer);
        const stored = changes.filter(({ outcome }) => rejectionOf(outcome) === null);
        await audited?.recordChanges(endpoint, exchange, caller, stored);
        return changes;
      }, caller.userId);
    } catch (error) {
      // A line too many is better than none.
      if (!(error instanceof CommitUnknown)) await audited?.takeBack().catch(() => undefined);
      throw error;
    }
  };

  const run = async (exchange: Exchange, parameters: Parameters): Promise<Outcome> => {
    const caller = await admittedCaller(exchange, parameters);
    // Loaded with the first body, because mocks that are only read from do not need it.
    const { request } = endpoint;
    const input = request ? await (await import('./input.js')).inputOf(request, endpoint, exchange, services) : noInput;
    const [done] = await transact(exchange, caller, parameters, async (writer) => [
      await change(writer, exchange, caller, parameters, input),
    ]);
    return (done as Change).outcome;
  };

  return { run, write: { steps, admittedCaller, transact } };
}

/** The parts of a write, for one of many items at once. */
export type Write = ReturnType<typeof writing>['write'];

/** Why a transition was rejected, which has written nothing. */
const rejectionOf = (outcome: Outcome): string | null => (outcome.kind === 'moved' ? outcome.rejection : null);

/** What a write did, for the audit log. */
export interface Change {
  readonly outcome: Outcome;
  readonly parameters: Parameters;
  /** The one that it created; empty if it did not. */
  readonly row: object;
  readonly before: string | null;
  readonly after: string | null;
}

/** `?page=N` from 1, at most once. It may exceed the number of pages. Web pages can filter and sort. */
function pageOf(exchange: Exchange, size: number, selectBy: Services['selectBy']): PageRequest {
  const [number = '1', ...more] = exchange.query('page');
  if (more.length > 0 || !/^[1-9][0-9]*$/.test(number)) {
    throw badRequest('The page parameter must be a positive whole number, such as ?page=2.');
  }
  if (!selectBy || exchange.wantsJson || exchange.query('as').length > 0) return { number, size };
  return { number, size, select: selectBy(exchange) };
}

async function outcomeOf(endpoint: Endpoint, access: Access, work: Promise<unknown>): Promise<Outcome> {
  if (endpoint.status !== 303) {
    const result = await work;
    return endpoint.status === 204 ? { kind: 'done' } : { kind: 'item', row: result as object };
  }
  const row = access.resource ?? {};
  try {
    await work;
    return { kind: 'moved', row, rejection: null };
  } catch (error) {
    // A rejected transition has written nothing, and redirects like a successful one.
    if (error instanceof RuleError && error.meaning === 'refused')
      return { kind: 'moved', row, rejection: error.message };
    throw error;
  }
}

/** Null if the resource no longer exists or is no longer visible. */
export async function unlessGone<Found>(lookup: Promise<Found>): Promise<Found | null> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof RuleError && (error.meaning === 'not found' || error.meaning === 'forbidden')) return null;
    throw error;
  }
}
