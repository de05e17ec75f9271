import { type Endpoint, parametersOf, pathsAbove, resourceAt, resources } from '@mkt/sdk/contract';
import {
  type Caller,
  type Context,
  type DownloadPart,
  type Image,
  type Input,
  type Listing,
  listQueryOf,
  type PageRequest,
  type Prefill,
} from '../rules/context.js';
import { invalid, notFound, RuleError } from '../rules/errors.js';
import { checkedFields, checkedParameter } from '../rules/fields.js';
import { imageFrom } from '../rules/images.js';
import type { Rule } from '../rules/index.js';
import { idFrom, membershipIn, roleError, visible } from '../rules/policy.js';
import { capitalized } from '../rules/problems.js';
import type { Reader, Store, Writer } from '../store/store.js';
import type { AnyRow, Row } from '../store/tables.js';
import type { Audit } from './audit.js';
import { readBody } from './body.js';
import type { Exchange } from './exchange.js';
import { loggedPath } from './masked.js';
import { checkPreconditions, isConditional } from './preconditions.js';
import { badRequest, unauthorized } from './problems.js';
import { type ConvertFields, unwrap } from './wrapper.js';

/** Shared by the pipelines of all endpoints. */
export interface Services {
  readonly store: Store;
  readonly pageSize: number;
  /** The current time as the API writes it. */
  readonly now: () => string;
  readonly random: (bytes: number) => string;
  readonly sha256: (text: string) => string;
  /** The sender of the request. @throws 401 */
  readonly identify: (reader: Reader, exchange: Exchange) => Promise<Caller>;
  /** Reads the page that `?website=` names. @throws 422 on `website` */
  readonly readPage: (address: string) => Promise<Prefill>;
  readonly audit: Audit | undefined;
  /** Undefined if there are no pages, so no forms. */
  readonly convertFields: ConvertFields | undefined;
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

export type Parameters = Readonly<Record<string, string>>;

interface Access {
  readonly membership: Row<'memberships'> | null;
  readonly resource: object | null;
}

/** The context of every rule. The rule's parameter type declares which parts it uses. */
interface RuleContext extends Context, Access {
  readonly organizationId: Row<'organizations'>['id'] | undefined;
}

const firstPage: PageRequest = { number: '1', size: 1 };
const noInput: Input<object> = { fields: {}, purge: false, image: null, prefill: null };

/**
 * The order of checks for all endpoints: token, write permission, organization visible, resource visible,
 * role, preconditions, body, fields, guards. What was checked before the body is read is checked again inside the
 * transaction, because a body may take its sender a minute, in which a right can end.
 */
export function pipeline(endpoint: Endpoint, rule: Rule, services: Services, current: Representation | null) {
  const steps = stepsOf(endpoint, rule, services, current);
  const { store, identify } = services;

  const representation = (exchange: Exchange, parameters: Parameters): Promise<object | null> =>
    store.read(async (reader) => {
      const caller = admitted(await identify(reader, exchange), exchange, endpoint);
      const row = await steps.currentRow(reader, caller, await steps.authorized(reader, caller, parameters));
      return row && current ? current.bodyOf(exchange, row) : null;
    });

  return { run: endpoint.scope === 'read' ? reading(steps) : writing(steps), representation };
}

type Steps = ReturnType<typeof stepsOf>;

/** The steps that reading and writing have in common. */
function stepsOf(endpoint: Endpoint, rule: Rule, services: Services, current: Representation | null) {
  const { now, random, sha256 } = services;

  const contextOf = (
    // Rules of read endpoints get a reader, because they write nothing.
    source: Reader,
    caller: Caller,
    { membership, resource }: Access,
    page = firstPage,
  ): RuleContext => ({
    store: source as Writer,
    caller,
    now: now(),
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

  /** @throws 412 */
  const checkConditions = async (exchange: Exchange, reader: Reader, caller: Caller, access: Access): Promise<void> => {
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
    authorized: authorizer(endpoint),
    contextOf,
    currentRow,
    checkConditions,
  };
}

function reading({ endpoint, rule, services: { store, identify, pageSize }, authorized, contextOf }: Steps) {
  return (exchange: Exchange, parameters: Parameters, part?: DownloadPart): Promise<Outcome> =>
    store.read(async (reader) => {
      const caller = admitted(await identify(reader, exchange), exchange, endpoint);
      const access = await authorized(reader, caller, parameters);
      const page = endpoint.paginated ? { ...pageOf(exchange, pageSize), ...part } : firstPage;
      const result = await rule(contextOf(reader, caller, access, page), noInput);
      return endpoint.paginated
        ? { kind: 'list', listing: result as Listing<object>, page }
        : { kind: 'item', row: result as object };
    });
}

function writing({ endpoint, rule, services, current, authorized, contextOf, currentRow, checkConditions }: Steps) {
  const { audit, store, identify } = services;
  const inOrganization = organizationParameter(endpoint);
  const isNew = endpoint.status === 201;

  return async (exchange: Exchange, parameters: Parameters): Promise<Outcome> => {
    await audit?.check();
    const identified = async (reader: Reader) => admitted(await identify(reader, exchange), exchange, endpoint);
    const caller = await store.read(async (reader) => {
      const identity = await identified(reader);
      await checkConditions(exchange, reader, identity, await authorized(reader, identity, parameters));
      return identity;
    });
    const input = await inputOf(endpoint, exchange, services);

    const currentDigest = async (reader: Reader, access: Access | null): Promise<string | null> => {
      const row = access && (await currentRow(reader, caller, access));
      return row && current ? current.digestOf(exchange, row) : null;
    };
    const { outcome, before, after } = await store.transact(async (writer) => {
      if (inOrganization === null) await writer.lock('users', caller.userId);
      else await writer.lock('organizations', idFrom(parameters[inOrganization] ?? '', writer));
      await identified(writer);
      await exchange.beforeWrite?.(writer);
      const access = await authorized(writer, caller, parameters);
      await checkConditions(exchange, writer, caller, access);
      const before = audit && !isNew ? await currentDigest(writer, access) : null;
      const outcome = await outcomeOf(endpoint, access, rule(contextOf(writer, caller, access), input));
      if (!audit) return { outcome, before, after: null };
      const after =
        isNew && outcome.kind === 'item'
          ? (current?.digestOf(exchange, outcome.row) ?? null)
          : await currentDigest(writer, await unlessGone(authorized(writer, caller, parameters)));
      return { outcome, before, after };
    });
    if (outcome.kind === 'moved' && outcome.rejection !== null) return outcome;
    await audit?.record({
      request_id: exchange.requestId,
      operation: endpoint.operation,
      path: loggedPath(exchange),
      status: endpoint.status,
      user_id: caller.userId,
      token_id: caller.tokenId ?? null,
      ids: idsOf(parameters, isNew && outcome.kind === 'item' ? outcome.row : {}),
      before,
      after,
    });
    return outcome;
  };
}

/** The parameter with the id of the organization whose members have access. */
function organizationParameter({ role, path }: Endpoint): 'organization_id' | 'id' | null {
  if (role === 'none') return null;
  return path.includes(':organization_id') ? 'organization_id' : path.includes(':id') ? 'id' : null;
}

/**
 * The items in a path from the outside in, each with the parameter that has its id. The organization is one of them only for
 * endpoints of organizations: for all others, the membership shows that it exists.
 */
function itemsOf({ operation, path }: Endpoint) {
  return [...pathsAbove(path), path].flatMap((above) => {
    const name = resourceAt(above);
    const parameter = parametersOf(above).at(-1);
    const isItem = name && parameter && (name !== 'organizations' || operation.startsWith(name));
    return isItem ? [{ name: name as keyof typeof visible, parameter }] : [];
  });
}

/** Computes everything that depends only on the contract once. The returned function runs with every request. */
function authorizer(endpoint: Endpoint) {
  const inOrganization = organizationParameter(endpoint);
  const items = itemsOf(endpoint);

  /** @throws 404 if the caller may not see the resource, then 403 if the role does not permit the operation */
  return async (reader: Reader, caller: Caller, parameters: Parameters): Promise<Access> => {
    const membership =
      inOrganization === null ? null : await membershipIn(reader, caller, parameters[inOrganization] ?? '');
    let resource: AnyRow | null = null;
    for (const { name, parameter } of items) {
      const id = parameters[parameter] ?? '';
      resource = await visible[name]({ store: reader, caller, membership, id, above: resource });
      if (resource) continue;
      const what = `${capitalized(resources[name].singular)} ${id}`;
      throw membership
        ? notFound(`${what} was not found. Check the id, and that it is in this organization.`)
        : notFound(`${what} was not found. Check the id: only your own can be found.`);
    }
    const rejection = membership && roleError(endpoint.role, membership, resource);
    if (rejection) throw rejection;
    return { membership, resource };
  };
}

/** @throws 401 for a read token on a write */
function admitted(caller: Caller, exchange: Exchange, endpoint: Endpoint): Caller {
  exchange.userId = caller.userId;
  if (endpoint.scope === 'write' && caller.permission !== 'write') {
    throw unauthorized(
      'This token is read-only, so it can only be used for GET and HEAD. Use a token with write permission.',
    );
  }
  return caller;
}

/** `?page=N` from 1, at most once. It may exceed the number of pages. Web pages can filter and sort. */
function pageOf(exchange: Exchange, size: number): PageRequest {
  const [number = '1', ...more] = exchange.query('page');
  if (more.length > 0 || !/^[1-9][0-9]*$/.test(number)) {
    throw badRequest('The page parameter must be a positive whole number, such as ?page=2.');
  }
  if (exchange.wantsJson || exchange.query('as').length > 0) return { number, size };
  const query = listQueryOf((name) => exchange.query(name)[0]);
  return { number, size, query };
}

/** @throws 400, 413, 415 for the body, 422 for its fields */
async function inputOf(endpoint: Endpoint, exchange: Exchange, services: Services): Promise<Input<unknown>> {
  const { request, query } = endpoint;
  const { readPage, convertFields } = services;
  if (!request) return noInput;
  const body = await readBody(exchange, endpoint.multipart);
  const { fields, purge, file } = unwrap(
    body,
    request,
    (sent) => convertFields?.(sent, request.fields, endpoint.method === 'POST') ?? sent,
  );
  // Loaded with the first body, because mocks that are only read from do not need it.
  const { richText } = await import('../rules/rich-text.js');
  const checked = checkedFields(request, { ...fields }, richText);
  const image = request.file === null || file === undefined ? null : await imageIn(file, request.file);
  const website = query.website && checkedParameter('website', query.website, exchange.query('website'));
  return { fields: checked, purge, image, prefill: website ? await readPage(website) : null };
}

/** The image in a form's file field. @throws 422 on `field` for anything else, or if it is too large */
async function imageIn(file: unknown, field: string): Promise<Image> {
  if (!(file instanceof Blob)) throw invalid(field, { code: 'not_file' });
  const image = imageFrom(new Uint8Array(await file.arrayBuffer()));
  if ('code' in image) throw invalid(field, image);
  return image;
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
async function unlessGone<Found>(lookup: Promise<Found>): Promise<Found | null> {
  try {
    return await lookup;
  } catch (error) {
    if (error instanceof RuleError && (error.meaning === 'not found' || error.meaning === 'forbidden')) return null;
    throw error;
  }
}

/** The ids in the path, and the one of a new resource. */
function idsOf(parameters: Parameters, row: object): Readonly<Record<string, string | number>> {
  const { id } = row as { readonly id?: string | number };
  const ids = Object.entries(parameters).map(([name, text]) => [name, /^\d{1,15}$/.test(text) ? Number(text) : text]);
  return { ...Object.fromEntries(ids), ...(id !== undefined && { id }) };
}
