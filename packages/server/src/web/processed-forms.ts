import type { RequestBody } from '@mkt/sdk/contract';
import type { Exchange } from '../http/exchange.js';
import { typedFields } from '../http/form-fields.js';
import type { AppServices } from '../http/html-renderer.js';
import { formObject } from '../http/wrapper.js';
import { idFrom } from '../rules/policy.js';
import type { Reader, Writer } from '../store/store.js';
import type { ListRow, Row } from '../store/tables.js';
import { timestamp } from '../timestamp.js';
import { cookieOf } from './cookies.js';
import { type Flash, flashIn, type Undo } from './flash.js';
import type { Sealer } from './signing.js';

/** Where a browser goes after a successful write, and the message that it sees there. */
export interface AfterWrite {
  readonly to: string;
  readonly flash: Flash;
  /** What was created or changed. */
  readonly item?: { readonly table: ItemTable; readonly id: string };
  /** Whether the form was sent again, and its item no longer exists. */
  readonly isGone?: boolean;
}

/** What a form does. */
export interface Work {
  /** The response to a form that needs another look before it is processed; null otherwise. */
  readonly check?: () => Promise<Response | null>;
  readonly write: () => Promise<AfterWrite>;
  /** The path for a form that was processed, but whose result was lost. */
  readonly fallback: string;
  /** The fields of the form, unless it only has hidden ones. */
  readonly request?: RequestBody | null;
  /** Whether the check makes it safe to process the form again when it is sent again later. */
  readonly repeats?: boolean;
}

const itemTables = ['organizations', 'campaigns', 'collabs', 'social_accounts', 'access_tokens'] as const;
type ItemTable = (typeof itemTables)[number];

/** An item that a page of the resource shows; undefined for those that are not in a table of their own. */
export function itemOf(resource: string, id: unknown): AfterWrite['item'] {
  const name = resource.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const table = itemTables.find((each) => each === name);
  return table && id !== undefined ? { table, id: String(id) } : undefined;
}

const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** In milliseconds: as long as a user may go back to a form and send it again. */
const maxAge = 60 * 60_000;
/** Double clicks are faster. Afterwards, or once the page after it was shown, a form was sent again. */
const doubleClick = 60_000;
/** The maximum number of undos of a user that a process stores at once. */
const maxKept = 10;
/** Of more users the oldest values are no longer replaced: they expire. */
const maxUsers = 10_000;
/** The maximum number of expired rows that a form removes. */
const sweep = 10;
/** In milliseconds: how often, and how long, a form waits for the result of the same form in another process. */
const [pollEvery, pollFor] = [50, 5000];

/** Removes the oldest expired rows, and those of `others` that have expired. */
async function removeExpired(writer: Writer, others: readonly ListRow<'processed_forms'>[] = []): Promise<void> {
  const oldest = await writer.page('processed_forms', 'byExpiry', [], { offset: 0, limit: sweep });
  for (const { id, expires_at } of [...oldest, ...others])
    if (Date.parse(expires_at) <= Date.now()) await writer.delete('processed_forms', id);
}

interface Sealed extends AfterWrite {
  readonly at: number;
  /** The cookie of the session that may see the same result again. */
  readonly session: string | null;
  /** Whether the page with its message was shown. */
  readonly isShown?: boolean;
}

interface Earlier {
  readonly row: Row<'processed_forms'>;
  /** Null if it was lost. */
  readonly result: Sealed | null;
  /** Whether it was processed within the last minute, and whether the page after it was not seen yet. */
  readonly isRecent: boolean;
  readonly isDoubleClick: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** What a form sends, whatever it is written like: after signing in again, a form shows countries by their codes. */
function sentBy(form: FormData, request: Work['request']): [string, unknown][] {
  if (!request) return [...form];
  const { [request.wrapper]: fields = {}, ...others } = formObject(form, request);
  return [...Object.entries(others), [request.wrapper, typedFields(fields as Fields, request.fields, false)]];
}

/** Reserves the key in the transaction of the write: only one of several equal forms can commit. */
const reserve =
  (key: string, before: Row<'processed_forms'> | undefined): NonNullable<Exchange['beforeWrite']> =>
  async (writer) => {
    const same = await writer.get('processed_forms', key);
    if (same && same.result === before?.result) await writer.delete('processed_forms', key);
    else await removeExpired(writer, same ? [same] : []);
    await writer.insert('processed_forms', { id: key, expires_at: timestamp(Date.now() + maxAge) });
  };

/**
 * Forms that were processed. Without scripts, double clicks cannot be prevented, and a form that is sent twice, to one
 * process or to several, is processed only once. Each form has a unique id, and belongs to one user, who may have signed in again.
 */
export class ProcessedForms {
  /** The forms that this process is working on, by key and session; null if they were rejected. */
  readonly #pending = new Map<string, Promise<AfterWrite | null>>();
  /** The keys that this process has stored for each user, oldest first. */
  readonly #kept = new Map<string, readonly string[]>();

  constructor(
    private readonly services: Pick<AppServices, 'store' | 'sha256' | 'random'>,
    private readonly sealer: Sealer,
  ) {}

  /** The previous or pending result of this form, whose CSRF token the caller has checked; otherwise that of its work. */
  async once(exchange: Exchange, form: FormData, work: Work): Promise<AfterWrite | Response> {
    if (!form.has('form_id')) return (await work.check?.()) ?? work.write();
    // Includes all values: a user who goes back and changes the form wants to create something else.
    const fields = sentBy(form, work.request).filter(([name]) => !['csrf_token', 'press', 'continues'].includes(name));
    const key = this.keyOf(exchange, [exchange.userId, fields]);
    // Another session of the user gets no secret.
    const own = `${key} ${cookieOf(exchange, 'session')}`;
    for (let before = this.#pending.get(own); before; before = this.#pending.get(own)) {
      const result = await before;
      if (result) return result;
    }
    const processing = this.#process(key, exchange, work);
    this.#pending.set(
      own,
      processing.then(
        (result) => (result instanceof Response ? null : result),
        () => null,
      ),
    );
    return processing.finally(() => this.#pending.delete(own));
  }

  keyOf({ url }: Exchange, values: unknown): string {
    const comparable = (_: string, value: unknown) => (value instanceof Blob ? value.size : value);
    return this.services.sha256(JSON.stringify([url.href, values], comparable));
  }

  async #process(key: string, exchange: Exchange, { check, write, fallback, repeats = false }: Work) {
    const before = await this.#earlier(key, exchange);
    if (before?.isDoubleClick) return this.#answer(before, fallback);
    // The same form may be faster in another process, and delete what this one would change.
    const other = async () => {
      const earlier = before ? null : await this.#earlier(key, exchange).catch(() => null);
      return earlier && this.#answer(earlier, fallback);
    };
    const checked = await check?.();
    // Everything is as this form has saved it: browsers also send the second click of a double click while they receive the page.
    if (checked?.status === 303 && before?.isRecent) return this.#answer({ ...before, isDoubleClick: true }, fallback);
    if (checked) return (await other()) ?? checked;
    if (before && !repeats) return this.#answer(before, fallback);
    exchange.beforeWrite = reserve(key, before?.row);
    let result: AfterWrite;
    try {
      result = await write();
    } catch (error) {
      const answer = await other();
      if (answer) return answer;
      throw error;
    }
    result = { ...result, flash: { ...result.flash, form: key } };
    await this.#store(key, () => ({ ...result, at: Date.now(), session: cookieOf(exchange, 'session') }));
    return result;
  }

  async #store(key: string, change: (before: Sealed | null) => Sealed): Promise<void> {
    await this.services.store.transact(async (writer) => {
      const row = await writer.get('processed_forms', key);
      if (!row) return;
      const sealed = change(this.sealer.open(row.result));
      await writer.update('processed_forms', key, { result: this.sealer.seal(sealed) });
    });
  }

  /** The page after this form was shown, so a request that comes later is not a double click. */
  markShown(key: string): Promise<void> {
    return this.#store(key, (before) => ({ ...(before as Sealed), isShown: true }));
  }

  /** The same form, processed before. Waits while the other process has committed, but has not stored the result yet. */
  async #earlier(key: string, exchange: Exchange): Promise<Earlier | null> {
    for (let waited = 0; ; waited += pollEvery) {
      const row = await this.#rowOf(key);
      if (!row) return null;
      const result = this.sealer.open<Sealed>(row.result);
      if (result !== null) {
        // A browser that still has the message has not received the page that shows it.
        const isUnseen =
          result.session === cookieOf(exchange, 'session') &&
          (result.isShown !== true || flashIn(this.sealer, exchange)?.form === key);
        const isRecent = Date.now() - result.at < doubleClick;
        return { row, result, isRecent, isDoubleClick: isUnseen && isRecent };
      }
      // After a crash, or with another session secret.
      if (row.result !== null || waited >= pollFor) return { row, result: null, isRecent: false, isDoubleClick: false };
      await new Promise((resolve) => setTimeout(resolve, pollEvery));
    }
  }

  /** The same result for a double click; later, where to go from a form that was sent before. */
  async #answer({ result: sealed, isDoubleClick }: Earlier, fallback: string): Promise<AfterWrite> {
    if (sealed === null)
      return { to: fallback, flash: { tone: 'good', text: 'This form was sent before, and processed once.' } };
    const { at, session: _, isShown: __, ...result } = sealed;
    if (isDoubleClick) return result;
    const { to, flash, item } = result;
    const before = `This form was sent before, on ${time.format(at)} UTC`;
    if (flash.tone === 'bad') return { to, flash: { tone: 'bad', text: `${before}: ${flash.text}` } };
    if (item && !(await this.#exists(item)))
      return {
        to: fallback,
        flash: { tone: 'bad', text: `${before}: ${flash.text} It no longer exists.` },
        isGone: true,
      };
    const secret = flash.secret === undefined ? '' : ' Its secret was shown then.';
    return { to, flash: { tone: 'good', text: `${before}: ${flash.text} Nothing was done again.${secret}` } };
  }

  #exists({ table, id }: NonNullable<AfterWrite['item']>): Promise<boolean> {
    return this.services.store.read(async (reader) => {
      const row = await reader.get(table, idFrom(id, reader));
      return row !== null && !('revoked_at' in row && row.revoked_at !== null);
    });
  }

  #rowOf(key: string): Promise<Row<'processed_forms'> | null> {
    return this.services.store.read(async (reader) => {
      const row = await reader.get('processed_forms', key);
      return row && Date.parse(row.expires_at) > Date.now() ? row : null;
    });
  }

  /**
   * Stores the form that takes an update back, which is too long for a cookie, instead of the oldest one of the same user
   * if there are too many. @returns its key
   */
  async keepUndo(userId: string, undo: Undo): Promise<string> {
    const { store, random } = this.services;
    const id = random(18);
    const keys = [...(this.#kept.get(userId) ?? []), id];
    if (this.#kept.size >= maxUsers) this.#kept.clear();
    this.#kept.set(userId, keys.slice(-maxKept));
    const row = { id, expires_at: timestamp(Date.now() + maxAge), result: this.sealer.seal(undo) };
    await store.transact(async (writer) => {
      await removeExpired(writer);
      for (const key of keys.slice(0, -maxKept)) await writer.delete('processed_forms', key);
      await writer.insert('processed_forms', row);
    }, userId);
    return id;
  }

  /** Stores a value for a form, instead of the one before. */
  async keepFor(key: string, value: object): Promise<void> {
    const kept = { expires_at: timestamp(Date.now() + maxAge), result: this.sealer.seal(value) };
    await this.services.store.transact(async (writer) => {
      await removeExpired(writer);
      await writer.delete('processed_forms', key);
      await writer.insert('processed_forms', { id: key, ...kept });
    });
  }

  /** Null if it has expired. */
  async kept<Value>(reader: Reader, key: string): Promise<Value | null> {
    return this.sealer.open((await reader.get('processed_forms', key))?.result);
  }

  /** Null on other pages than its own. */
  async undoOn(page: string, reader: Reader, key: string): Promise<Undo | null> {
    const undo = await this.kept<Undo>(reader, key);
    return undo?.page === page ? undo : null;
  }
}
