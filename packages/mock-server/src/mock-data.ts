import { demoTokens, freeName, type IdFormat, type OpenedSeed, type Store } from '@mkt/server';
import { randomText } from '@mkt/server/extend';
import type { ControlRoot } from './control/control.js';
import type { AnySeed } from './control/new-items.js';
import { openSeed } from './control/seeds.js';
import type { SessionPersistence } from './persistence.js';

/** The store for the control methods, which waits until the data is loaded. */
export const afterStart = (store: Store, ready: () => Promise<void>): Store => ({
  ...store,
  async read(work) {
    await ready();
    return store.read(work);
  },
  async transact(work) {
    await ready();
    return store.transact(work);
  },
  async dump() {
    await ready();
    return store.dump();
  },
});

/** Keeps the object, because programs and the panel have it. */
export function replaceTokens(current: Record<string, string>, tokens: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(current)) delete current[name];
  Object.assign(current, tokens);
}

type Users = Readonly<Record<string, { readonly tokens?: readonly SeededToken[] | null } | null>>;
interface SeededToken {
  readonly permission?: string;
  readonly secret?: string;
  readonly revoked_at?: string | null;
}

/** Users with a secret for each token, whose names and secrets are added to `all`: they are known before a seed is read. */
function withSecrets(users: Users, all: Record<string, string>): Users {
  const entries = Object.entries(users).map(([handle, user]) => {
    if (!Array.isArray(user?.tokens)) return [handle, user];
    const tokens = user.tokens.map((token: SeededToken) => ({ secret: `mkt_${randomText(32)}`, ...token }));
    for (const { permission = 'write', secret, revoked_at } of tokens)
      if (!revoked_at) all[freeName(all, `${handle}_${permission}`)] = secret;
    return [handle, { ...user, tokens }];
  });
  return Object.fromEntries(entries);
}

/** The seed, opened once: `reset()` restores the same rows and secrets. Its `tokens` are those of the present data. */
export function openableSeed(source: AnySeed, ids: IdFormat) {
  const content = typeof source === 'object' ? source : null;
  const base = content?.extends ?? source;
  const tokens: Record<string, string> = base === 'demo' || base === 'large' ? { ...demoTokens } : {};
  let filled = source;
  if (content && !content.extends && content.users)
    filled = { ...content, users: withSecrets(content.users as Users, tokens) } as AnySeed;
  // The first secret of the empty seed.
  let next = base === 'empty' ? randomText(32) : '';
  if (next) tokens.owner_write = `mkt_${next}`;
  const random = (bytes: number): string => {
    const text = next || randomText(bytes);
    next = '';
    return text;
  };
  let opened: Promise<OpenedSeed> | undefined;
  const open = async (): Promise<OpenedSeed> => {
    opened ??= openSeed(filled, { ids, random });
    const seed = await opened;
    replaceTokens(tokens, seed.tokens);
    return seed;
  };
  return { source, tokens, open };
}

/** Loads what the tab has saved, otherwise the seed, and saves changes from then on. */
export function startData(
  store: Store,
  seed: ReturnType<typeof openableSeed>,
  { control, onChange }: Pick<ControlRoot, 'control' | 'onChange'>,
  openSession: () => Promise<SessionPersistence | undefined>,
) {
  let session: SessionPersistence | undefined;
  let save: (() => Promise<boolean>) | undefined;
  const start = async (): Promise<void> => {
    session = await openSession();
    const tokens = await session?.restore(control);
    if (tokens) replaceTokens(seed.tokens, tokens);
    else if (seed.source !== 'demo') await store.load((await seed.open()).dump);
    save = session?.start(control, onChange, () => seed.tokens);
  };
  const ready = start();
  // Requests report the failure. An unhandled rejection of `ready` must not end the process.
  ready.catch(() => undefined);
  return {
    ready,
    /** Saves the state in the tab. False if that is not possible. */
    save: async () => (await save?.()) ?? false,
    forgetSaved: async () => session?.clear(),
  };
}
