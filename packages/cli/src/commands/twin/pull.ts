import { appendFileSync, createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ListPromise, type Marketplace, NotFoundError, PermissionError } from '@mkt/sdk';
import { nestedListsOf, type ResourceName } from '@mkt/sdk/contract';
import { storedLists } from '@mkt/server/seeds';
import { pMapSkip } from 'p-map';
import { listCommand } from '../../api/errors/subject.js';
import { withErrorContext } from '../../api/errors/with-context.js';
import {
  address,
  countOf,
  drafts,
  members,
  organizations,
  type Resource,
  socialAccounts,
  tokens,
} from '../../api/labels.js';
import { operationsOf } from '../../api/operations.js';
import { resolveToken } from '../../config/credentials.js';
import type { Context, Organization } from '../../context/context.js';
import { maskFor } from '../../declarations/twin/mask.js';
import {
  adminOf,
  checkRows,
  driftError,
  frameOf,
  handlesOf,
  personOf,
  SeedRows,
  type TwinFrame,
  type TwinKind,
} from '../../declarations/twin/rows.js';
import { toType, usageError } from '../../errors/cli-error.js';
import { bulkClient, readEach, readWholeList } from '../../lists/whole-list.js';
import { writeTo } from '../../output/file-target.js';
import type { Sink } from '../../output/printer.js';
import { escapeUnsafe, idOf, type JsonObject, type Row, sanitizeLine, valueAt } from '../../text/values.js';
import { Images } from './images.js';

const version = 1;

interface PullFlags {
  readonly 'keep-names'?: boolean | undefined;
  readonly as?: string | undefined;
  readonly out?: string;
}

const batchSize = 100;

/** JSON inside JSON that is indented already. */
const indented = (value: unknown, depth: number): string =>
  escapeUnsafe(JSON.stringify(value, null, 2)).replaceAll('\n', `\n${'  '.repeat(depth)}`);

/** Everything of the organization except its campaigns and collabs, and the tokens of the caller. */
type Head = Awaited<ReturnType<TwinPull['head']>>;

class TwinPull {
  readonly #leftOut: string[] = [];

  constructor(
    readonly context: Context,
    readonly client: Marketplace,
    readonly organization: Organization,
    readonly flags: PullFlags,
  ) {}

  get options() {
    return { signal: this.context.signal };
  }

  #explained<Result>(resource: Resource, work: () => PromiseLike<Result>): Promise<Result> {
    const { organization } = this;
    return withErrorContext(this.context, { action: 'list', resource, organization }, work);
  }

  /** What the token may read of an optional part. */
  async optional<Result>(resource: Resource, none: Result, work: () => PromiseLike<Result>): Promise<Result> {
    return this.#explained(resource, async () => {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof PermissionError)) throw error;
        this.#leftOut.push(resource.plural);
        this.context.warn(`The token may not read the ${resource.plural} (403), so the twin has none.`);
        return none;
      }
    });
  }

  async head(source: string, token: string) {
    const { client, context, options, flags } = this;
    const { id } = this.organization;
    const organization: Row = await this.#explained(organizations, () => client.organizations.get(id, options));
    const { people, pageSize } = await this.#explained(members, async () => {
      const { data: first, response } = await client.members.list(id, options).withResponse();
      const rest = first.hasNext() ? await client.members.list(id, options).all({ from: 2 }) : [];
      const size = Number(response.headers.get('page-items')) || undefined;
      return { people: [...first.items, ...rest] as readonly Row[], pageSize: size };
    });
    const descriptions: readonly Row[] = await this.optional(tokens, [], () => client.accessTokens.list(options).all());

    const keepNames = flags['keep-names'] === true;
    const mask = maskFor(people.map(personOf), [token], keepNames);
    const rows = new SeedRows(mask);
    const images = new Images(context);
    const handles = handlesOf(people);
    const member = this.#caller(people);
    const caller = handles.get(member) ?? '';
    const frame = frameOf(rows, organization, handles, {
      handle: handleFor(String(valueAt(organization, 'name'))),
      logo: await images.fields('logo', valueAt(organization, 'logo_url'), 'organization'),
      caller: member,
      tokens: tokensOf(descriptions.map((row) => rows.token(row))),
    });
    const twin = {
      version,
      source,
      organization: valueAt(organization, 'id'),
      pulled_at: `${context.io.now().toISOString().slice(0, 19)}Z`,
      masked: !keepNames,
      caller,
      ...(pageSize !== undefined && { page_size: pageSize }),
    };
    return { frame, twin, caller, rows, images, leftOut: this.#leftOut };
  }

  /** The frame with the social accounts and the address of the caller. */
  async completeFrame({ frame, rows, caller }: Head): Promise<TwinFrame> {
    const { client, options, flags } = this;
    const accounts: readonly Row[] = await this.optional(socialAccounts, [], () =>
      client.socialAccounts.list(options).all(),
    );
    const home = (await this.optional(address, undefined, () => operationsOf(address, client, '', options).read('')))
      ?.row;
    const { tokens, ...person } = frame.users[caller] as JsonObject;
    const user = {
      ...person,
      ...(accounts.length > 0 && { social_accounts: accounts.map(rows.socialAccount) }),
      ...(home !== undefined && { address: rows.address(home, flags['keep-names'] === true) }),
      tokens,
    };
    const lists = await this.#lists('organizations', 'organization', [this.organization.id], rows);
    const organization = { ...frame.organization, ...lists };
    const complete = { ...frame, organization, users: { ...frame.users, [caller]: user } };
    await checkRows(complete, 'organization', []);
    return complete;
  }

  /** The member that the copied tokens belong to. The API does not say whose token it is. */
  #caller(people: readonly Row[]): Row {
    const { as } = this.flags;
    const found =
      as === undefined
        ? adminOf(people)
        : people.find((member) => [personOf(member).email, personOf(member).id].includes(as));
    if (found !== undefined) return found;
    if (as === undefined)
      throw driftError('organization', this.organization.id, 'it has neither an owner nor an admin.');
    throw usageError(
      `No member of the organization has the e-mail address ${sanitizeLine(as)} (--as).`,
      toType(listCommand(this.context, members, this.organization)),
    );
  }

  /** Pulls a list, writes its rows in their order, and returns how many there are. */
  async rows(kind: 'campaign' | 'collab', head: Head, write: (text: string) => void): Promise<number> {
    const { client, context, options } = this;
    const { id } = this.organization;
    const resource = kind === 'campaign' ? drafts.campaigns : drafts.collabs;
    const { list, get } = operationsOf(resource, client, id, options);
    const convert = (row: Row) => (kind === 'campaign' ? head.rows.campaign(row) : head.rows.collab(row));
    let written = 0;
    write(`,\n      "${resource.name}": [`);
    await this.optional(resource, undefined, () =>
      context.withProgress(`Listing ${resource.plural}`, async (progress) => {
        const open = () => context.journal.open(context.settings.requiredBaseUrl, id, resource.command);
        const ids = [...(await readWholeList(context, resource, list, idOf, { progress, open })).keys()];
        for (const one of ids) if (!/^[\w-]+$/.test(one)) throw driftError(kind, one, 'it has no valid id.');
        let forbidden = 0;
        let batch: JsonObject[] = [];
        const store = async () => {
          await checkRows(head.frame, kind, batch);
          for (const row of batch) {
            write(`${written === 0 ? '' : ','}\n        ${indented(row, 4)}`);
            written += 1;
          }
          batch = [];
        };
        progress.label = `Pulling ${resource.plural}`;
        progress.update(0, ids.length);
        const rows = readEach(ids, async (one) => {
          try {
            const row = await get(one);
            const image = await head.images.fields('banner_image', valueAt(row, 'banner_image_url'), `${kind} ${one}`);
            const lists = await this.#lists(resource.name, kind, [id, one], head.rows);
            return { ...convert(row), ...image, ...lists };
          } catch (error) {
            if (!(error instanceof PermissionError)) throw error;
            forbidden += 1;
            return pMapSkip;
          }
        });
        for await (const row of rows) {
          batch.push(row);
          progress.update(written + batch.length, ids.length);
          if (batch.length === batchSize) await store();
        }
        await store();
        const gone = ids.length - written - forbidden;
        // Throws if it was not only these that were deleted, but the organization.
        if (gone > 0) await client.organizations.get(id, options);
        this.#reportLeftOut(resource, gone, 'deleted during the pull');
        this.#reportLeftOut(resource, forbidden, 'not readable with this token (403)');
      }),
    );
    write(written === 0 ? ']' : '\n      ]');
    return written;
  }

  /** The rows of the lists below an item, as far as the service has them and the token may read them. */
  async #lists(parent: ResourceName, kind: TwinKind, ids: readonly string[], rows: SeedRows): Promise<JsonObject> {
    const found: [name: string, rows: readonly JsonObject[]][] = [];
    for (const { endpoint, name, plural } of nestedListsOf(parent)) {
      const list = storedLists.find((each) => each.name === name && each.parent === parent);
      if (list === undefined) continue;
      const [resource, method] = endpoint.operation.split('.') as [keyof Marketplace, string];
      const methods = this.client[resource] as unknown as Readonly<
        Record<string, (...args: readonly unknown[]) => ListPromise<Row>>
      >;
      if (!methods[method]) throw new Error(`The SDK has no method ${endpoint.operation}.`);
      try {
        const all = await methods[method](...ids, this.options).all();
        if (all.length > 0) found.push([name, rows.listed(list, endpoint, kind, ids.at(-1) ?? '', all)]);
      } catch (error) {
        const isForbidden = error instanceof PermissionError;
        if (!isForbidden && !(error instanceof NotFoundError)) throw error;
        if (this.#leftOut.includes(plural)) continue;
        this.#leftOut.push(plural);
        const why = isForbidden ? `The token may not read the ${plural} (403)` : `The service has no ${plural} (404)`;
        this.context.warn(`${why}, so the twin has none.`);
      }
    }
    return Object.fromEntries(found);
  }

  #reportLeftOut(resource: Resource, count: number, why: string): void {
    if (count === 0) return;
    const what = countOf(resource, count);
    this.#leftOut.push(`${what}: ${why}`);
    this.context.warn(`Left out ${what}: ${why}.`);
  }
}

/** Without a write token, nothing could be rehearsed. */
const tokensOf = (listed: readonly JsonObject[]): readonly JsonObject[] =>
  listed.some(({ permission }) => permission === 'write')
    ? listed
    : [...listed, { description: 'Twin', permission: 'write' }];

/** `Acme Cosmetics` is `acme-cosmetics`. */
const handleFor = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 40) || 'organization';

async function writeTwin(sink: Sink, { frame, twin, leftOut }: Head, rowsPath: string) {
  const { ids, users, handle, organization } = frame;
  await sink.write(
    `{\n  "twin": ${indented({ ...twin, left_out: leftOut }, 1)},\n  "ids": "${ids}",\n  "users": ${indented(users, 1)},\n`,
  );
  await sink.write(
    `  "organizations": {\n    ${JSON.stringify(handle)}: ${indented(organization, 2).replace(/\n {4}\}$/, '')}`,
  );
  for await (const text of createReadStream(rowsPath)) await sink.write(text);
  await sink.write('\n    }\n  }\n}\n');
}

/** Copies an organization to a seed file. Rows go through a file, so that memory use does not grow with their number. */
export async function pullTwin(context: Context, flags: PullFlags): Promise<void> {
  const { out } = flags;
  if (out === undefined || out === '-')
    throw usageError('--out is required.', toType('mkt twin pull --out brand.twin'));
  const organization = await context.organization();
  const source = context.settings.requiredBaseUrl;
  const token = await resolveToken(context.io, context.settings, source);
  const client = bulkClient(context, await context.client());
  const pull = new TwinPull(context, client, organization, flags);
  const target = { path: out, stdout: context.stdout, example: 'brand.twin', mode: 0o600 };
  const folder = mkdtempSync(join(tmpdir(), 'mkt-twin-'));
  try {
    const { head, counts } = await writeTo(target, async (sink) => {
      const start = await pull.head(source, token.value);
      const head = { ...start, frame: await pull.completeFrame(start) };
      const rowsPath = join(folder, 'rows');
      const write = (text: string): void => appendFileSync(rowsPath, text, { mode: 0o600 });
      const campaigns = await pull.rows('campaign', head, write);
      const collabs = await pull.rows('collab', head, write);
      await writeTwin(sink, head, rowsPath);
      return { head, counts: [countOf(drafts.campaigns, campaigns), countOf(drafts.collabs, collabs)] };
    });
    report(context, head, out, `${counts.join(' and ')} of ${await organization.name()}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(context: Context, { rows, images, twin }: Head, out: string, what: string): void {
  if (rows.unknown.size > 0) {
    context.warn(
      `The service sends fields that mkt does not know, which the twin leaves out: ${[...rows.unknown].map(sanitizeLine).join(', ')}.`,
    );
  }
  if (images.failed > 0) {
    context.warn(
      `${countOf({ singular: 'image', plural: 'images' }, images.failed)} could not be copied. The twin has an image of one pixel instead.`,
    );
  }
  const names = twin.masked === true ? ' Names and addresses of people are masked.' : '';
  context.note(`Copied ${what} to ${out}.${names}`);
}
