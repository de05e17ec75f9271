import { type Marketplace, NotFoundError, PermissionError } from '@mkt/sdk';
import { type Dump, forbidden, type NewRow, StorageFailure, type Store, type Writer } from '@mkt/server';
import type { Seed } from '@mkt/server/node';
import pMap from 'p-map';
import { explain, type Subject } from '../../api/errors/explain.js';
import { idOf } from '../../api/organization.js';
import { drafts, socialAccounts } from '../../api/resources.js';
import { resolveToken } from '../../config/credentials.js';
import type { Context, Organization } from '../../context/context.js';
import { CliError } from '../../errors/cli-error.js';
import { operationsOf } from '../../shared/operations.js';
import { listIds, pullConcurrency } from '../../shared/pull.js';
import { imageKey } from '../../shared/twin/images.js';
import { checkRows } from '../../shared/twin/rows.js';
import { type Row, valueAt } from '../../text/row.js';
import { type Head, type TwinFlags, TwinPull } from './pull.js';

type List = keyof typeof drafts;
const isList = (table: string): table is List => Object.hasOwn(drafts, table);

/** What is read from the source together: a list without briefs, or the social accounts and the address of the caller. */
const lists: readonly string[] = ['campaigns', 'collabs', 'own'];
/** Where rows of a table come from. Other tables are complete from the start. */
const listOf = (table: string): string | undefined =>
  isList(table) ? table : ['social_accounts', 'addresses'].includes(table) ? 'own' : undefined;

/** A row as the store has it, and the URL of its image in the source. */
interface Copied {
  readonly row: NewRow<List>;
  readonly image: readonly [key: string, url: string] | undefined;
}

/** The organization as it is in the service. Only reads. */
class TwinSource {
  constructor(
    readonly context: Context,
    readonly client: Marketplace,
    readonly organization: Organization,
    readonly pull: TwinPull,
    readonly head: Head,
  ) {}

  #copied(table: List, row: Row): Copied {
    const { rows, frame } = this.head;
    const url = valueAt(row, 'banner_image_url');
    const key = typeof url === 'string' ? imageKey(url, `${table} ${idOf(row)}`) : null;
    const columns = {
      ...(table === 'campaigns' ? rows.campaign(row) : rows.collab(row)),
      organization_id: frame.organization.id,
      banner_image_key: key,
    };
    // The conversion has checked the row with the contract.
    return { row: columns as unknown as NewRow<List>, image: key === null ? undefined : [key, String(url)] };
  }

  #operations(table: List) {
    return operationsOf(drafts[table], this.client, this.organization.id, { signal: this.context.io.interrupted });
  }

  /** All rows of a list, without their briefs, in its order. */
  list(table: List): Promise<ReadonlyMap<string, Copied>> {
    return this.#read({ action: 'list', resource: drafts[table] }, () =>
      listIds(drafts[table].plural, this.#operations(table).list, (row) =>
        this.#copied(table, { ...row, brief: null }),
      ),
    );
  }

  /** One row with its brief; undefined if there is none. */
  row(table: List, id: string): Promise<Copied | undefined> {
    return this.#read({ action: 'show', resource: drafts[table], id }, async () => {
      try {
        return this.#copied(table, await this.#operations(table).get(id));
      } catch (error) {
        if (error instanceof NotFoundError) return undefined;
        throw error;
      }
    });
  }

  /** The organization with the social accounts and the address of the caller. */
  own(): Promise<Dump> {
    return this.#read({ action: 'list', resource: socialAccounts }, async () => {
      return (await this.pull.completeFrame(this.head)).dump;
    });
  }

  /** An image of the organization, as a row. */
  async image(id: string, url: string): Promise<NewRow<'images'>> {
    const image = await this.head.images.read(url);
    if (image === undefined) throw new StorageFailure('The twin could not read this image from its source. Try again.');
    return { id, organization_id: this.head.frame.organization.id as number, ...image };
  }

  /** @throws 403 if the source does, and 503 if it cannot be read */
  async #read<Result>(subject: Subject, work: () => Promise<Result>): Promise<Result> {
    const { context, organization } = this;
    try {
      return await work();
    } catch (error) {
      if (error instanceof PermissionError) throw forbidden(`The source does not permit this: ${error.message}`);
      const cause = await explain(error, { ...subject, organization }, context);
      if (!(cause instanceof CliError)) throw cause;
      throw new StorageFailure(
        `The twin could not read from its source. ${cause.message} Try again when the source works.`,
        { cause },
      );
    }
  }
}

/** Thrown by lookups of what has not been read from the source. */
class Missing extends Error {
  /** @param what A list, or a table and an id: `campaigns`, `campaigns 5`, `images KEY`. */
  constructor(readonly what: string) {
    super(`${what} was not read from the source.`);
  }
}

interface Known {
  /** The lists that were read, and the rows that were asked for: `campaigns 5`. What is gone since was deleted here. */
  readonly read: Set<string>;
  /** Rows of a list, still without their briefs. */
  readonly partial: Set<string>;
}

/** A store that reads lists and rows from the source when they are first needed. What is written stays here. */
class LazyStore implements Store {
  readonly ids: Store['ids'];
  #known: Known = { read: new Set(), partial: new Set() };
  /** URLs in the source, by key. */
  readonly #images = new Map<string, string>();
  readonly #loading = new Map<string, Promise<void>>();

  constructor(
    readonly inner: Store,
    readonly source: TwinSource,
    /** The state in which nothing has been read. */
    readonly start: Dump,
  ) {
    this.ids = inner.ids;
  }

  read: Store['read'] = (work) =>
    this.#withRows(() => this.inner.read((reader) => work(this.#checked(reader as Writer, []))));

  transact: Store['transact'] = async (work) => {
    const { result, deleted } = await this.#withRows(async () => {
      const deleted: string[] = [];
      return { result: await this.inner.transact((writer) => work(this.#checked(writer, deleted))), deleted };
    });
    for (const key of deleted) this.#images.delete(key);
    return result;
  };

  /** Everything: a snapshot is restored without the source. */
  async dump(): Promise<Dump> {
    for (const list of lists) if (!this.#known.read.has(list)) await this.#load(list);
    await pMap(this.#known.partial, (row) => this.#load(row), { concurrency: pullConcurrency });
    return this.inner.dump();
  }

  async load(dump: Dump): Promise<void> {
    this.#known = { read: new Set(dump === this.start ? [] : lists), partial: new Set() };
    await this.inner.load(dump);
  }

  isEmpty = () => this.inner.isEmpty();
  ping = () => this.inner.ping();
  close = () => this.inner.close();

  /** Runs `work` again after each row or list that it lacked. */
  async #withRows<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Missing)) throw error;
        await this.#load(error.what);
      }
    }
  }

  /** @param deleted Gets the keys of deleted images. */
  #checked(store: Writer, deleted: string[]): Writer {
    const { read, partial } = this.#known;
    const needList = (table: string) => {
      const list = listOf(table);
      if (list !== undefined && !read.has(list)) throw new Missing(list);
    };
    const needRow = (table: string, id: string | number, found: unknown) => {
      const name = `${table} ${id}`;
      if (table === 'images') {
        if (!found && this.#images.has(String(id))) throw new Missing(name);
      } else if (!isList(table)) needList(table);
      else if (!/^(?!0$)[\w-]+$/.test(String(id))) return;
      else if (found ? partial.has(name) : !read.has(table) && !read.has(name)) throw new Missing(name);
    };
    const get: Writer['get'] = async (table, id) => {
      const row = await store.get(table, id);
      needRow(table, id, row);
      return row;
    };
    return {
      ids: store.ids,
      get,
      async getMany(table, ids) {
        for (const id of ids) await get(table, id);
        return store.getMany(table, ids);
      },
      async find(table, index, key) {
        needList(table);
        return store.find(table, index, key);
      },
      async page(table, index, key, slice) {
        needList(table);
        return store.page(table, index, key, slice);
      },
      async scan(table, index, key, scan) {
        needList(table);
        return store.scan(table, index, key, scan);
      },
      async count(table, index, key) {
        needList(table);
        return store.count(table, index, key);
      },
      // A new row comes after all others.
      async insert(table, row) {
        needList(table);
        return store.insert(table, row);
      },
      async update(table, id, changes) {
        await get(table, id);
        return store.update(table, id, changes);
      },
      async delete(table, id) {
        if (table === 'images') deleted.push(String(id));
        else await get(table, id);
        return store.delete(table, id);
      },
      deleteOrganization: (id) => store.deleteOrganization(id),
      lock: (table, id) => store.lock(table, id),
    };
  }

  /** Reads from the source, once for all requests that wait for it. */
  #load(what: string): Promise<void> {
    const known = this.#known;
    const reading = async () => {
      const write = await this.#reader(what, known);
      await this.inner.transact(async (writer) => {
        // The data may have been reset meanwhile.
        if (known === this.#known) await write(writer);
      });
    };
    const loading = this.#loading.get(what) ?? reading().finally(() => this.#loading.delete(what));
    this.#loading.set(what, loading);
    return loading;
  }

  /** Reads from the source, and returns what writes it to the store. */
  async #reader(what: string, { read, partial }: Known): Promise<(writer: Writer) => Promise<void>> {
    const [table = '', id = ''] = what.split(' ');
    if (table === 'images') {
      const image = await this.source.image(id, this.#images.get(id) ?? '');
      return async (writer) => void (await writer.insert('images', image));
    }
    if (what === 'own') {
      const { tables } = await this.source.own();
      return async (writer) => {
        for (const row of tables.social_accounts) await writer.insert('social_accounts', row);
        for (const row of tables.addresses) await writer.insert('addresses', row);
        read.add(what);
      };
    }
    if (!isList(table)) throw new Error(`${what} is not read from the source.`);
    const insert = async (writer: Writer, { row, image }: Copied, position?: number) => {
      await writer.insert(table, { ...row, ...(this.ids === 'opaque' && position !== undefined && { position }) });
      if (image) this.#images.set(...image);
    };
    if (what === table) {
      const rows = await this.source.list(table);
      return async (writer) => {
        let position = 0;
        for (const copied of rows.values()) {
          const name = `${table} ${copied.row.id}`;
          position += 1;
          const earlier = await writer.get(table, copied.row.id ?? 0);
          if (earlier) {
            // It was read by its id, which does not show its place in the list.
            await writer.delete(table, earlier.id);
            await insert(writer, { row: earlier, image: undefined }, position);
          } else if (!read.has(name)) {
            await insert(writer, copied, position);
            partial.add(name);
          }
        }
        read.add(table);
      };
    }
    const copied = await this.source.row(table, id);
    return async (writer) => {
      const listed = copied && (await writer.get(table, copied.row.id ?? 0));
      if (copied && listed) await writer.update(table, listed.id, { brief: copied.row.brief ?? null });
      else if (copied) await insert(writer, copied);
      else if (partial.has(what)) await writer.delete(table, this.ids === 'integer' ? Number(id) : id);
      read.add(what);
      partial.delete(what);
    };
  }
}

/** A twin that starts with the organization, its members and the caller's tokens, and reads the rest when it is needed. */
export async function lazySeed(context: Context, flags: TwinFlags): Promise<Seed> {
  const organization = await context.organization();
  const client = (await context.client()).withOptions({ maxConcurrency: pullConcurrency });
  const source = context.settings.requiredBaseUrl;
  const pull = new TwinPull(context, client, organization, flags);
  const head = await pull.head(source, (await resolveToken(context.io, context.settings, source)).value);
  const { dump, tokens } = await checkRows(head.frame, 'organization', []);
  const twinSource = new TwinSource(context, client, organization, pull, head);
  return {
    name: 'twin',
    ids: head.frame.ids,
    dump,
    tokens,
    pageSize: head.pageSize,
    storeOver: (store) => new LazyStore(store, twinSource, dump),
  };
}
