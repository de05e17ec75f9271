import { ConfigurationError, ConnectionError } from '@mkt/sdk';
import { type Creation, createOnce, Journal, type JournalStore } from '@mkt/sdk/once';
import { describe, expect, it } from 'vitest';

const settleMs = 150;
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A service that may process a creation late, and a program that may be killed at a step. */
function world() {
  const made: number[] = [];
  let text = '';
  const process = () => made.push(made.length + 1);
  const store = (killAt = Number.POSITIVE_INFINITY, torn = 0): JournalStore => {
    let appends = 0;
    return {
      read: () => text,
      append: (more) => {
        appends += 1;
        if (appends < killAt) {
          text += more;
          return undefined;
        }
        text += more.slice(0, torn);
        return new Promise(() => undefined);
      },
    };
  };
  const find = () => made[0];
  const create = async () => ({ id: process() });
  const run = (given: JournalStore, creating: () => Promise<{ id: number }> = create) =>
    createOnce(new Journal(given, { settleMs }), 'Row 1', { create: creating, find });
  return { made, process, store, run };
}

describe('createOnce creates once', () => {
  it.each([
    ['before its intent is stored', 1, 0],
    ['while its intent is written', 1, 12],
    ['after the creation, before its line', 2, 0],
    ['while its line is written', 2, 12],
  ])('when the program is killed %s', async (_, killAt, torn) => {
    const { made, store, run } = world();
    run(store(killAt, torn));
    await later(20);
    expect(await run(store())).toBe(1);
    expect(await run(store())).toBe(1);
    expect(made).toEqual([1]);
  });

  it('when the program is killed while the service still works on it', async () => {
    const { made, process, store, run } = world();
    run(store(), () =>
      later(60)
        .then(process)
        .then(() => new Promise(() => undefined)),
    );
    await later(20);
    expect(await run(store())).toBe(1);
    // One that did not wait for the first would be done before it.
    await later(100);
    expect(made).toEqual([1]);
  });

  const cut = () => Promise.reject(new ConnectionError('No response.'));
  it('when the connection is cut and the service processes the request late', async () => {
    const { made, process, store, run } = world();
    const slow = () => {
      later(60).then(process);
      return cut();
    };
    expect(await run(store(), slow)).toBe(1);
    expect(made).toEqual([1]);
  });

  it('when the connection is cut before the request arrives', async () => {
    const { made, process, store, run } = world();
    let calls = 0;
    expect(await run(store(), async () => (++calls === 1 ? cut() : { id: process() }))).toBe(1);
    expect(made).toEqual([1]);
  });

  it('when the connection is cut again while it is looked for', async () => {
    const { made, process, store, run } = world();
    const create = () => {
      later(60).then(process);
      return cut();
    };
    const journal = new Journal(store(), { settleMs });
    await expect(createOnce(journal, 'Row 1', { create, find: cut })).rejects.toThrow(ConnectionError);
    expect(await run(store())).toBe(1);
    expect(made).toEqual([1]);
  });

  it('when the same key is created twice at the same time', async () => {
    const { made, store } = world();
    const journal = new Journal(store(), { settleMs });
    const creation = { create: async () => ({ id: made.push(1) }), find: () => undefined };
    await Promise.all([1, 2].map(() => createOnce(journal, 'Row 1', creation)));
    expect(made).toEqual([1]);
  });
});

it('a rejected creation is not waited for, and can be tried again', async () => {
  const { made, store, run } = world();
  const rejected = Object.assign(new Error('invalid'), { mayHaveArrived: false });
  const started = performance.now();
  await expect(run(store(), () => Promise.reject(rejected))).rejects.toBe(rejected);
  expect(await run(store())).toBe(1);
  expect(performance.now() - started).toBeLessThan(settleMs);
  expect(made).toEqual([1]);
});

it.each<[string, unknown, object]>([
  ['no key', undefined, { create: async () => ({ id: 1 }), find: () => undefined }],
  ['an empty key', '', { create: async () => ({ id: 1 }), find: () => undefined }],
  ['no function that finds it', 'Row 1', { create: async () => ({ id: 1 }) }],
  ['no function that creates it', 'Row 1', { find: () => undefined }],
])('with %s nothing is sent or written', async (_, key, creation) => {
  const { store } = world();
  const given = store();
  const call = createOnce(new Journal(given, { settleMs }), key as string, creation as Creation);
  await expect(call).rejects.toThrow(ConfigurationError);
  expect(given.read()).toBe('');
});

it.each([Number.NaN, -1, Number.POSITIVE_INFINITY, 2 ** 31])(
  'a timer cannot wait %s ms, so the first request could still take effect',
  (settle) => {
    expect(() => new Journal(world().store(), { settleMs: settle })).toThrow(ConfigurationError);
  },
);
