import { type Endpoint, resources } from '@mkt/sdk/contract';
import type { Caller, Context, Image, Input, Listing, PageRequest, Prefill } from '../rules/context.js';
import { capitalized, notFound, RuleError } from '../rules/errors.js';
import { checkedFields, checkedParameter } from '../rules/fields.js';
import type { Rule } from '../rules/index.js';
import { membershipIn, roleRefusal, visible } from '../rules/policy.js';
import type { Reader, Store, Writer } from '../store/store.js';
import type { Row } from '../store/tables.js';
import type { Audit, AuditView } from './audit.js';
import { readBody } from './body.js';
import type { Exchange } from './exchange.js';
import { loggedPath } from './masked.js';
import { pageOf } from './paging.js';
import { pictureOf } from './pictures.js';
import { checkPreconditions, isConditional } from './preconditions.js';
import { unauthorized } from './problems.js';
import { unwrap } from './wrapper.js';

/** What the path of every request needs from outside. */
export interface Services {
  readonly store: Store;
  readonly pageSize: number;
  /** This moment as the API writes it (D11). */
  readonly now: () => string;
  readonly random: (bytes: number) => string;
  readonly sha256: (text: string) => string;
  /** Who asks. @throws 401 */
  readonly identify: (reader: Reader, exchange: Exchange) => Promise<Caller>;
  /** Reads the page that `?website=` names (D42). @throws 422 on `website` */
  readonly readPage: (address: string) => Promise<Prefill>;
  readonly audit?: Audit;
}

/** GET of the address that a PATCH or DELETE is for. */
export interface Show {
  readonly rule: Rule;
  /** Null where the representation has no ETag. */
  readonly etagOf: ((exchange: Exchange, row: object) => string) | null;
}

/** What came of a request that was not refused. */
export type Outcome =
  | { readonly kind: 'list'; readonly listing: Listing<object>; readonly page: PageRequest }
  | { readonly kind: 'item'; readonly row: object }
  | { readonly kind: 'done' }
  | { readonly kind: 'moved'; readonly row: object; readonly refusal: string | null };

export type Parameters = Readonly<Record<string, string>>;

interface Access {
  readonly membership: Row<'memberships'> | null;
  readonly resource: object | null;
}

const firstPage: PageRequest = { number: '1', size: 1 };
const nothingSent = { fields: {}, purge: false, image: null, prefill: null };

/** The parameter that names the organization whose members may call. */
function organizationParameter({ role, path }: Endpoint): 'organization_id' | 'id' | null {
  if (role === 'none') return null;
  return path.includes(':organization_id') ? 'organization_id' : path.includes(':id') ? 'id' : null;
}

/**
 * The order of checks, for every endpoint alike (D9): token, write permission, organization visible, resource visible,
 * role, preconditions, body, fields, guards. What is looked up before the body is read is looked up again inside the
 * transaction.
 */
export function pipeline(
  endpoint: Endpoint,
  rule: Rule,
  services: Services,
  show: Show | null,
  auditView: AuditView | null = null,
) {
  const { audit, store, pageSize, now, random, sha256, identify } = services;
  const authorized = authorizer(endpoint);
  const inOrganization = organizationParameter(endpoint);

  const contextOf = (writer: Writer, caller: Caller, { membership, resource }: Access, page: PageRequest) => {
    const context: Context & Access & { organizationId: number | undefined } = {
      store: writer,
      caller,
      now: now(),
      random,
      sha256,
      page,
      membership,
      resource,
      organizationId: membership?.organization_id,
    };
    return context as never;
  };

  /** @throws 412 */
  const checkConditions = async (exchange: Exchange, reader: Reader, caller: Caller, access: Access): Promise<void> => {
    if (endpoint.method === 'POST' || !isConditional(exchange)) return;
    const row = show ? await rowOf(show, contextOf(reader as Writer, caller, access, firstPage)) : access.resource;
    const { updated_at, created_at } = (row ?? {}) as Readonly<Record<string, string>>;
    checkPreconditions(
      exchange,
      row && { etag: show?.etagOf?.(exchange, row) ?? null, updatedAt: updated_at ?? created_at ?? '' },
    );
  };

  const read = (exchange: Exchange, parameters: Parameters): Promise<Outcome> =>
    store.read(async (reader) => {
      const caller = admitted(await identify(reader, exchange), exchange, endpoint);
      const access = await authorized(reader, caller, parameters);
      const page = endpoint.paginated ? pageOf(exchange, pageSize) : firstPage;
      // A rule of a read endpoint gets a reader: it has nothing to write.
      const result = await rule(contextOf(reader as Writer, caller, access, page), nothingSent as never);
      return endpoint.paginated
        ? { kind: 'list', listing: result as Listing<object>, page }
        : { kind: 'item', row: result as object };
    });

  const write = async (exchange: Exchange, parameters: Parameters): Promise<Outcome> => {
    await audit?.check();
    const caller = await store.read(async (reader) => {
      const identity = admitted(await identify(reader, exchange), exchange, endpoint);
      await checkConditions(exchange, reader, identity, await authorized(reader, identity, parameters));
      return identity;
    });
    const input = await inputOf(endpoint, exchange, services);
    const { result, digests } = await store.transact(async (writer) => {
      if (inOrganization === null) await writer.lock('users', caller.userId);
      else await writer.lock('organizations', Number(parameters[inOrganization]));
      const access = await authorized(writer, caller, parameters);
      await checkConditions(exchange, writer, caller, access);
      const before = await shownDigest(exchange, writer, caller, access);
      const result = await outcome(() => rule(contextOf(writer, caller, access, firstPage), input as never), access);
      if (!auditView) return { result, digests: null };
      const after = creates(result)
        ? auditView.digestOf(exchange, result.row)
        : await shownDigest(exchange, writer, caller, await unlessGone(() => authorized(writer, caller, parameters)));
      return { result, digests: { before, after } };
    });
    if (audit && digests && !(result.kind === 'moved' && result.refusal !== null))
      await audit.record({
        request_id: exchange.requestId,
        operation: endpoint.operation,
        path: loggedPath(exchange),
        status: endpoint.status,
        user_id: caller.userId,
        token_id: caller.tokenId ?? null,
        ids: idsOf(parameters, creates(result) ? result.row : {}),
        ...digests,
      });
    return result;
  };

  const creates = (result: Outcome): result is Outcome & { kind: 'item' } =>
    result.kind === 'item' && endpoint.status === 201;

  /** What GET shows now; null if it shows nothing, or if neither preconditions nor the audit log need it. */
  const shownDigest = async (
    exchange: Exchange,
    reader: Reader,
    caller: Caller,
    access: Access | null,
  ): Promise<string | null> => {
    if (!auditView || !access || endpoint.status === 201) return null;
    const { rule: shows, digestOf } = auditView;
    const row = shows
      ? await unlessGone<object>(() =>
          shows(contextOf(reader as Writer, caller, access, firstPage), nothingSent as never),
        )
      : access.resource;
    return row && digestOf(exchange, row);
  };

  const outcome = async (work: () => Promise<unknown>, access: Access): Promise<Outcome> => {
    if (endpoint.status !== 303) {
      const result = await work();
      return endpoint.status === 204 ? { kind: 'done' } : { kind: 'item', row: result as object };
    }
    const row = access.resource ?? {};
    try {
      await work();
      return { kind: 'moved', row, refusal: null };
    } catch (error) {
      // A refused transition has written nothing; it redirects like a performed one (D39).
      if (error instanceof RuleError && error.meaning === 'refused')
        return { kind: 'moved', row, refusal: error.message };
      throw error;
    }
  };

  return endpoint.scope === 'read' ? read : write;
}

/** What GET would show; null where it would answer 404. */
const rowOf = ({ rule }: Show, context: never): Promise<object | null> =>
  unlessGone(() => rule(context, nothingSent as never));

/** Null for what is not there, or not visible any more. */
async function unlessGone<Found>(look: () => unknown): Promise<Found | null> {
  try {
    return (await look()) as Found;
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

/** @throws 401 for a read token on a write (api.md, Authentication rule 7) */
function admitted(caller: Caller, exchange: Exchange, endpoint: Endpoint): Caller {
  exchange.userId = caller.userId;
  if (endpoint.scope === 'write' && caller.permission !== 'write') {
    throw unauthorized('This token is read-only: it may use GET and HEAD. Use a token with the write permission.');
  }
  return caller;
}

/** What follows from the contract alone is worked out once: this runs with every request. */
function authorizer(endpoint: Endpoint) {
  const [name = ''] = endpoint.operation.split('.', 1);
  const resourceName = Object.hasOwn(visible, name) ? (name as keyof typeof visible) : null;
  const look = resourceName && visible[resourceName];
  const inOrganization = organizationParameter(endpoint);

  /** @throws 404 for what the caller may not see, then 403 for what the role does not permit */
  return async (reader: Reader, caller: Caller, parameters: Parameters): Promise<Access> => {
    const { id } = parameters;
    const membership =
      inOrganization === null ? null : await membershipIn(reader, caller, parameters[inOrganization] ?? '');
    const resource = id !== undefined && look ? await look({ store: reader, caller, membership, id }) : null;
    if (id !== undefined && resourceName && !resource) {
      throw unseen(`${capitalized(resources[resourceName].singular)} ${id}`, membership);
    }
    const refusal = membership && roleRefusal(endpoint.role, membership, resource);
    if (refusal) throw refusal;
    return { membership, resource };
  };
}

const unseen = (what: string, membership: Access['membership']): RuleError =>
  membership
    ? notFound(`${what} was not found. Check the id, and that it is in this organization.`)
    : notFound(`${what} was not found. Check the id: only your own can be found.`);

/** @throws 400, 413, 415 for the body, 422 for its fields */
async function inputOf(endpoint: Endpoint, exchange: Exchange, { readPage }: Services): Promise<Input<unknown>> {
  const { request } = endpoint;
  if (!request) return nothingSent;
  const { fields, purge, file } = unwrap(
    await readBody(exchange, endpoint.multipart),
    request,
    endpoint.method === 'POST',
  );
  // Loaded with the first body: a mock that is only read from does without it.
  const { richText } = await import('../rules/rich-text.js');
  const checked = checkedFields(request, { ...fields }, richText);
  const image: Image | null = request.file === null ? null : await pictureOf(file, request.file);
  const website =
    endpoint.query.website && checkedParameter('website', endpoint.query.website, exchange.query('website'));
  return { fields: checked, purge, image, prefill: website ? await readPage(website) : null };
}
