import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { sha256 } from '../src/digest.js';
import { AuditedRequest } from '../src/http/audit.js';
import type { Caller } from '../src/http/turns.js';
import { createApp, demoSeed, demoTokens, memoryStore } from '../src/index.js';
import { serve } from '../src/node/serve.js';
import { Turns } from '../src/node/turns.js';
import { FairTurns } from '../src/store/fair-turns.js';
import { sqliteStore } from '../src/store/sql/sqlite.js';
import type { Reader, Scan, Selection, Store } from '../src/store/store.js';
import type { Row } from '../src/store/tables.js';
import { Usage } from '../src/store/usage.js';
import { webPages } from '../src/web/web-pages.js';
import { demoApi } from './support/api.js';
import { gif, organizationForm } from './support/pictures.js';
import { imageRow } from './support/rows.js';
import { send } from './support/served.js';
import { openTestStore, storeKinds, temporaryFile } from './support/stores.js';
import { noTurns, turns as someTurns } from './support/turns.js';
import { demoSite } from './support/visitor.js';

const campaigns = '/organizations/5/campaigns.json';
const body = JSON.stringify({ campaign: { name: 'One of many', brief: '<p>Hello <b>you</b></p>'.repeat(400) } });
const request = (method: string, token: string, sent = '') =>
  `${method} ${campaigns} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\nAccept: application/json\r\n` +
  `Content-Type: application/json\r\nContent-Length: ${sent.length}\r\n\r\n${sent}`;

const connected = async (url: string, sockets: Socket[]): Promise<Socket> => {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
};
const respondTo = async (socket: Socket, text: string, status: number): Promise<void> => {
  socket.write(text);
  const [first] = await once(socket, 'data');
  expect(String(first)).toContain(`HTTP/1.1 ${status} `);
};

describe.each(storeKinds)('a caller with 32 connections, on %s', (kind) => {
  test.each([
    ['one token', 1],
    ['several tokens', 4],
  ])('and %s keeps the requests of another one waiting for few of its own', async (_, count) => {
    const { store, dispose } = await openTestStore(kind);
    await store.load(demoSeed());
    const server = await serve({ store, port: 0 });
    const sockets: Socket[] = [];
    try {
      const open = () => connected(server.url, sockets);
      const tokens: string[] = [demoTokens.ada_write];
      while (tokens.length < count) {
        const made = { access_token: { description: 'More', permission: 'write' } };
        tokens.push((await send(server.url, 'ada_write', 'POST', '/me/access_tokens.json', made)).body.token);
      }
      const attackers = await Promise.all(Array.from({ length: 32 }, open));
      const other = await open();
      // The server knows both, and has loaded what it loads with its first requests.
      for (const token of tokens) await respondTo(other, request('POST', token, body), 201);
      await respondTo(other, request('GET', demoTokens.cleo_write), 200);

      let before = 0;
      const answers = attackers.map((socket, index) =>
        respondTo(socket, request('POST', tokens[index % count] ?? '', body), 201).then(() => {
          before += 1;
        }),
      );
      await respondTo(other, request('GET', demoTokens.cleo_write), 200);
      expect(before).toBeLessThan(8);
      await Promise.all(answers);
    } finally {
      for (const socket of sockets) socket.destroy();
      await server.close();
      await dispose();
    }
  });
});

test.each(['/livez', '/readyz'])(
  '100 connections that ask for %s at once keep a request waiting for few',
  async (path) => {
    const server = await serve({ store: memoryStore(), seed: demoSeed(), port: 0 });
    const sockets: Socket[] = [];
    try {
      const flood = await Promise.all(Array.from({ length: 100 }, () => connected(server.url, sockets)));
      const other = await connected(server.url, sockets);
      const check = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
      await respondTo(other, check, 200);
      // The server knows its user afterwards, and then that there are two callers.
      for (let known = 0; known < 2; known += 1) await respondTo(other, request('GET', demoTokens.cleo_write), 200);
      let before = 0;
      const answers = flood.map((socket) =>
        respondTo(socket, check, 200).then(() => {
          before += 1;
        }),
      );
      await respondTo(other, request('GET', demoTokens.cleo_write), 200);
      expect(before).toBeLessThan(50);
      await Promise.all(answers);
    } finally {
      for (const socket of sockets) socket.destroy();
      await server.close();
    }
  },
);

test('a session counts for its user, whatever other cookies its browser sends', () => {
  const turns = new Turns();
  turns.identified({ cookie: 'mkt_session_4010=one; mkt_flash=a' }, 'ada');
  turns.identified({ authorization: 'Bearer two' }, 'ada');
  const callerOf = (headers: Parameters<Turns['callerOf']>[0]) =>
    turns.callerOf(headers, { remoteAddress: '127.0.0.1', remotePort: 5000 });
  expect(callerOf({ cookie: 'mkt_flash=b; mkt_session_4010=one' })).toMatchObject({ userId: 'ada' });
  expect(callerOf({ authorization: 'Bearer two' })).toMatchObject({ userId: 'ada' });
  expect(callerOf({ authorization: 'Bearer three' })).toMatchObject({ userId: null });
});

test('a caller without others does not wait', () => {
  const turns = new Turns();
  expect([turns.start({ userId: 'ada' }), turns.resume({ userId: 'ada' }), turns.start({ userId: 'ada' })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

/** Turns with two callers, and what records whose turn it was. */
function recordedTurns() {
  const turns = new Turns();
  void turns.start({ userId: 'another' });
  const order: string[] = [];
  const record = async (caller: string, turn: Promise<void> | undefined) => {
    await turn;
    order.push(caller);
  };
  return { turns, order, record };
}

test('a request passes those of another caller that came before it, however many they are', async () => {
  const { turns, order, record } = recordedTurns();
  const all = Array.from({ length: 64 }, () =>
    record('eve', turns.start({ userId: 'eve' })).then(() => turns.end({ userId: 'eve' })),
  );
  await Promise.all([record('ada', turns.start({ userId: 'ada' })), record('ada', turns.start({ userId: 'ada' }))]);
  expect(order.filter((caller) => caller === 'eve').length).toBeLessThan(4);
  await Promise.all(all);
  expect(order.filter((caller) => caller === 'eve')).toHaveLength(64);
});

test('requests whose clients have gone take no turn of their own', async () => {
  const { turns, order, record } = recordedTurns();
  const start = (name: string, userId: string, isGone = false) =>
    record(
      name,
      turns.start({ userId }, () => isGone),
    ).then(() => turns.end({ userId }));
  const all = Array.from({ length: 30 }, () => start('gone', 'eve', true));
  all.push(start('eve', 'eve'), ...Array.from({ length: 30 }, () => start('ada', 'ada')));
  await Promise.all(all);
  expect(order.slice(0, order.indexOf('eve')).filter((name) => name === 'ada').length).toBeLessThan(3);
  expect(order).toHaveLength(61);
});

/** On a busy machine. */
const patient = { timeout: 20_000 };

test('reads that wait for their turn are dropped when their clients have gone, and writes are done', async () => {
  const store = memoryStore();
  const seen: string[] = [];
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await serve({
    store,
    seed: demoSeed(),
    port: 0,
    extend: ({ createApp: create }) => {
      const app = create();
      return {
        async fetch(sent, bindings) {
          const { pathname } = new URL(sent.url);
          seen.push(pathname);
          if (pathname.endsWith('/1.json')) await held;
          return app.fetch(sent, bindings);
        },
      };
    },
  });
  const sockets: Socket[] = [];
  try {
    const sendOver = async (who: keyof typeof demoTokens, method: string, path: string) => {
      const socket = await connected(server.url, sockets);
      socket.write(request(method, demoTokens[who]).replace(campaigns, path));
      return socket;
    };
    for (const who of ['ada_write', 'cleo_write', 'ada_write'] as const)
      await respondTo(await connected(server.url, sockets), request('GET', demoTokens[who]), 200);
    const one = campaigns.replace('.json', '/1.json');
    await Promise.all(Array.from({ length: 6 }, () => sendOver('ada_write', 'GET', one)));
    await vi.waitFor(() => expect(seen.filter((path) => path === one)).toHaveLength(6), patient);
    // So that they take turns.
    await respondTo(await connected(server.url, sockets), request('GET', demoTokens.cleo_write), 200);
    const others = [
      await sendOver('ada_write', 'GET', '/organizations.json'),
      await sendOver('ada_write', 'DELETE', campaigns.replace('.json', '/2.json')),
    ];
    await someTurns();
    for (const socket of others) socket.destroy();
    await someTurns();
    release();
    await vi.waitFor(() => expect(seen.at(-1)).toMatch('/2.json'), patient);
    // What begins after it, so that nothing else waits.
    await respondTo(await connected(server.url, sockets), request('GET', demoTokens.ada_write), 200);
    expect(seen).not.toContain('/organizations.json');
  } finally {
    release();
    for (const socket of sockets) socket.destroy();
    await server.close();
  }
});

test('the work on what requests have waited for passes that of another caller too', async () => {
  const { turns, order, record } = recordedTurns();
  const all = Array.from({ length: 8 }, () => record('eve', turns.resume({ userId: 'eve' })));
  await Promise.all([
    ...all,
    record('ada', turns.resume({ userId: 'ada' })),
    record('ada', turns.resume({ userId: 'ada' })),
  ]);
  expect(order.slice(0, 4).toSorted()).toEqual(['ada', 'ada', 'eve', 'eve']);
});

test('few requests of a caller are in progress while there are others, and each of them can go on', async () => {
  const { turns, order, record } = recordedTurns();
  const all = Array.from({ length: 20 }, () => record('eve', turns.start({ userId: 'eve' })));
  await someTurns();
  expect(order).toHaveLength(6);
  await turns.resume({ userId: 'eve' });
  await turns.start({ userId: 'ada' });
  for (const waiting of all) {
    await waiting;
    turns.end({ userId: 'eve' });
  }
  expect(order).toHaveLength(20);
});

test('sixteen requests of a caller without others are in progress, for which the next caller waits', async () => {
  const turns = new Turns();
  const eve = { userId: 'eve' };
  const waits = Array.from({ length: 20 }, () => turns.start(eve));
  expect(waits.map((wait) => wait === undefined)).toEqual([...Array(16).fill(true), ...Array(4).fill(false)]);
  for (const wait of waits) {
    await wait;
    turns.end(eve);
  }
});

test('of many first requests with the same credentials, all count for their user when one of them is identified', async () => {
  const turns = new Turns();
  const connection = (remotePort: number) => ({ remoteAddress: '10.0.0.1', remotePort });
  const eve = Array.from({ length: 40 }, (_, n) => turns.callerOf({ authorization: 'Bearer eve' }, connection(n)));
  const waits = eve.map((caller) => turns.start(caller));
  turns.identified({ authorization: 'Bearer eve' }, 'usr_eve');
  // Another one behind the same proxy, who waits for none of those in progress.
  await turns.start(turns.callerOf({ authorization: 'Bearer ada' }, connection(100)));
  for (const [n, wait] of waits.entries()) {
    await wait;
    turns.end(eve[n] as Caller);
  }
  const next = Array.from({ length: 6 }, (_, n) =>
    turns.start(turns.callerOf({ authorization: 'Bearer eve' }, connection(n))),
  );
  await Promise.all(next);
});

test('a step of a transaction does not wait for what its caller has used, which pays for it afterwards', async () => {
  const { turns, order, record } = recordedTurns();
  await turns.start({ userId: 'eve' });
  keepBusy(20);
  const later = record('later', turns.resume({ userId: 'eve' }));
  await record('first', turns.resume({ userId: 'eve' }, true));
  keepBusy(40);
  await record('second', turns.resume({ userId: 'eve' }, true));
  await someTurns();
  expect(order).toEqual(['first', 'second']);
  await later;
});

describe.each(storeKinds)('on %s', (kind) => {
  test('digests for the audit log are made in a turn of their user, also those after the change', async () => {
    const { store, dispose } = await openTestStore(kind);
    try {
      const events: ('turn' | 'digest')[] = [];
      const site = await demoSite(
        {},
        {
          store: {
            ...store,
            transact(work, by) {
              events.length = 0;
              return store.transact(work, by);
            },
          },
          audit: { check: async () => undefined, request: () => new AuditedRequest(async () => undefined) },
          turns: {
            ...noTurns,
            resume: async (_, isUrgent) => void (isUrgent && events.push('turn')),
          },
          sha256(text) {
            if (text.startsWith('{"id"')) events.push('digest');
            return sha256(text);
          },
        },
      );
      await store.transact(async (writer) => {
        const { id: _, ...row } = (await writer.get('campaigns', 3)) as Row<'campaigns'>;
        for (let n = 0; n < 88; n += 1) await writer.insert('campaigns', row);
      });
      const actions = '/organizations/5/campaigns/actions';
      const ada = await site.signedIn('ada_write');
      const { form_id: _, ...form } = (await ada.get(`${actions}?action=pause&select=all`)).form(actions);
      expect((await ada.post(actions, form)).status).toBe(303);
      const digests = (count: number) => ['turn', ...Array.from({ length: count }, () => 'digest')];
      expect(events).toEqual([...digests(100), ...digests(20)]);
    } finally {
      await dispose();
    }
  });

  test('others read while an action on many items waits for its turn', async () => {
    const { store, dispose } = await openTestStore(kind);
    try {
      let waits = 0;
      const resume = async () => {
        waits += 1;
        await store.read((reader) => reader.get('users', 'usr_ada'));
      };
      const site = await demoSite({}, { store, turns: { ...noTurns, resume } });
      const ada = await site.signedIn('ada_write');
      const actions = '/organizations/5/campaigns/actions';
      const { form_id: _, ...form } = (await ada.get(`${actions}?action=pause&select=all`)).form(actions);
      waits = 0;
      expect((await ada.post(actions, form)).status).toBe(303);
      expect(waits).toBeGreaterThan(0);
    } finally {
      await dispose();
    }
  });

  test.each([
    ['a list', '/organizations/5/campaigns.json', 'application/json'],
    ['an item', '/organizations/5/campaigns/3.json', 'application/json'],
    ['a page with a list', '/organizations/5/campaigns', 'text/html'],
    ['a page of an item', '/organizations/5/campaigns/3', 'text/html'],
  ])('%s takes a turn after it has read the store, so that its JSON or page is made in it', async (_, path, accept) => {
    const { store, dispose } = await openTestStore(kind);
    try {
      await store.load(demoSeed());
      let reads = 0;
      const counted = new Proxy(store, {
        get(target, name: keyof typeof store) {
          if (name === 'read') reads += 1;
          return target[name];
        },
      });
      const readsBefore: number[] = [];
      const resumed: (string | null)[] = [];
      const turns = {
        ...noTurns,
        async resume({ userId }: Caller) {
          resumed.push(userId);
          readsBefore.push(reads);
        },
      };
      const app = createApp({ store: counted, renderer: webPages(), turns });
      const headers = { Authorization: `Bearer ${demoTokens.ada_write}`, Accept: accept };
      const response = await app.fetch(new Request(`http://127.0.0.1:4010${path}`, { headers }));
      expect(response.status).toBe(200);
      expect(new Set(resumed)).toEqual(new Set(['usr_ada']));
      expect(readsBefore.at(-1)).toBe(reads);
    } finally {
      await dispose();
    }
  });

  test('an action on many items takes a turn when it has read some of them, so that they are compared in it', async () => {
    const { store, dispose } = await openTestStore(kind);
    try {
      const events: ('read' | 'turn' | 'compared')[] = [];
      const watched = (reader: Reader) =>
        new Proxy(reader, {
          get(target, name) {
            const member = Reflect.get(target, name);
            if (name !== 'get') return typeof member === 'function' ? member.bind(target) : member;
            return (...args: Parameters<Reader['get']>) => target.get(...args).finally(() => events.push('read'));
          },
        });
      const turns = {
        ...noTurns,
        resume: async () => void events.push('turn'),
      };
      const site = await demoSite(
        {},
        {
          store: { ...store, read: (work) => store.read((reader) => work(watched(reader))) },
          turns,
          sha256(text) {
            if (text.startsWith('{')) events.push('compared');
            return sha256(text);
          },
        },
      );
      await store.transact(async (writer) => {
        const { id: _, ...row } = (await writer.get('campaigns', 3)) as Row<'campaigns'>;
        for (let n = 0; n < 200; n += 1) await writer.insert('campaigns', row);
      });
      const actions = '/organizations/5/campaigns/actions';
      const ada = await site.signedIn('ada_write');
      const { form_id: _, ...form } = (await ada.get(`${actions}?action=pause&select=all`)).form(actions);
      /** What came right before comparisons. */
      const beforeComparisons = async (status: number) => {
        events.length = 0;
        expect((await ada.post(actions, form)).status).toBe(status);
        return events.filter((event, place) => event !== 'compared' && events[place + 1] === 'compared');
      };
      for (const status of [303, 422]) {
        const [first, ...others] = await beforeComparisons(status);
        // One item is also compared before the others are read.
        expect([first, new Set(others)]).toEqual(['read', new Set(['turn'])]);
      }
    } finally {
      await dispose();
    }
  });
});

test('a caller gets at most half of the time, and less with requests that take long', async () => {
  /** How many requests that keep the process busy for `used` milliseconds start in 500 ms. */
  const started = async (used: number) => {
    const turns = new Turns();
    turns.start({ userId: 'other' });
    let count = 0;
    let running = true;
    const requests = Array.from({ length: 4 }, async () => {
      while (running) {
        await turns.start({ userId: 'busy' });
        if (running) count += 1;
        keepBusy(used);
        turns.end({ userId: 'busy' });
      }
    });
    await delay(500);
    running = false;
    await Promise.all(requests);
    return count;
  };
  expect(await started(2)).toBeLessThan(3 + 500 / 4);
  expect(await started(20)).toBeLessThan(3 + 500 / 200);
});

/** In milliseconds of processor time: a busy machine stops the process in between. */
const keepBusy = (milliseconds: number) => {
  const since = process.cpuUsage();
  for (let used = 0; used < milliseconds * 1000; ) {
    const { user, system } = process.cpuUsage(since);
    used = user + system;
  }
};
/** Connections of clients that are not known yet, which send their next request at once, as in a flood. */
function flood(turns: Turns, callers: readonly Caller[], order: string[], limit: number, milliseconds = 2) {
  const all = callers.map(async (caller) => {
    while (order.length < limit) {
      await turns.start(caller);
      order.push('flood');
      keepBusy(milliseconds);
      turns.end(caller);
    }
  });
  return Promise.all(all);
}

test('clients that are not known yet take turns with a user together, from however many addresses they send', async () => {
  const { turns, order, record } = recordedTurns();
  const clients = Array.from({ length: 40 }, (_, n) => ({
    userId: null,
    connection: { remoteAddress: `10.0.0.${n}` },
  }));
  const all = flood(turns, clients, order, 60);
  while (order.length < 20) await someTurns();
  const before = order.length;
  await record('ada', turns.start({ userId: 'ada' }));
  expect(order.indexOf('ada') - before).toBeLessThan(3);
  await all;
});

test('a user who had a turn just now does not wait for each connection of clients that are not known yet', async () => {
  const { turns, order, record } = recordedTurns();
  const clients = Array.from({ length: 200 }, (_, n) => ({
    userId: null,
    connection: { remoteAddress: '10.0.0.1', remotePort: n },
  }));
  const all = flood(turns, clients, order, 2000, 0);
  for (let count = 0; count < 5; count += 1) {
    await record('ada', turns.start({ userId: 'ada' }));
    turns.end({ userId: 'ada' });
  }
  const places = order.flatMap((caller, place) => (caller === 'ada' ? [place] : []));
  expect(Math.max(...places)).toBeLessThan(100);
  await all;
});

test('a new connection passes those of the same address that had a turn before', async () => {
  const { turns, order, record } = recordedTurns();
  const connectionOf = (remotePort: number) => ({
    userId: null,
    connection: { remoteAddress: '10.0.0.1', remotePort },
  });
  const clients = Array.from({ length: 40 }, (_, n) => connectionOf(n));
  const all = flood(turns, clients, order, 70);
  while (order.length < 45) await someTurns();
  const before = order.length;
  await record('new', turns.start(connectionOf(5000)));
  turns.end(connectionOf(5000));
  expect(order.indexOf('new') - before).toBeLessThan(3);
  await all;
});

test('a client that is not known yet passes the connections of another address', async () => {
  const { turns, order, record } = recordedTurns();
  const clientOf = (remoteAddress: string, remotePort: number) => ({
    userId: null,
    connection: { remoteAddress, remotePort },
  });
  const clients = Array.from({ length: 60 }, (_, n) => clientOf('10.0.0.1', n));
  const all = flood(turns, clients, order, 120);
  for (let count = 0; count < 5; count += 1) {
    const before = order.length;
    await record('new', turns.start(clientOf('10.0.0.2', 1)));
    turns.end(clientOf('10.0.0.2', 1));
    expect(order.indexOf('new', before) - before).toBeLessThan(4);
  }
  await all;
});

test('a caller pays for its own time, and not for that in which the process got no processor', async () => {
  const turns = new Turns();
  void turns.start({ userId: 'other' });
  await turns.start({ userId: 'stopped' });
  // The thread waits, as one that others keep from its processor.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
  await delay(1);
  const since = performance.now();
  void turns.start({ userId: 'other' });
  await turns.start({ userId: 'stopped' });
  expect(performance.now() - since).toBeLessThan(500);
});

const never = () => new Error('It waited too long.');

test('groups that wait take turns, however many of them there are', async () => {
  const turns = new FairTurns(1, never);
  const order: string[] = [];
  const run = (group: string) =>
    turns.run(group, Number.POSITIVE_INFINITY, async () => {
      order.push(group);
      await someTurns();
    });
  const groups = ['eve', 'eve', 'eve', 'eve', 'bob', 'bob', 'bob', 'ada'];
  await Promise.all(groups.map(run));
  expect(order).toEqual(['eve', 'bob', 'ada', 'eve', 'bob', 'eve', 'bob', 'eve']);
  expect(turns.isBusy).toBe(false);
});

test('work that waited too long is rejected, and takes no turn of the others', async () => {
  const turns = new FairTurns(1, never);
  await turns.enter('ada', 1000);
  await expect(turns.enter('eve', 10)).rejects.toThrow('It waited too long.');
  const next = turns.enter('bob', 60_000);
  turns.leave('ada');
  await next;
  turns.leave('bob');
  expect(turns.isBusy).toBe(false);
});

test('a user whose work takes long pauses while there are others, and goes on when they are gone', async () => {
  const turns = new FairTurns(1, never, 1, new Usage());
  const started: string[] = [];
  const run = (group: string, ms: number) =>
    turns.run(group, 60_000, async () => {
      started.push(group);
      await delay(ms);
    });
  const all = [run('eve', 60), run('eve', 0), run('ada', 0)];
  await Promise.all([all[0], all[2]]);
  expect(started).toEqual(['eve', 'ada']);
  const since = performance.now();
  await run('ada', 0);
  expect(started).toEqual(['eve', 'ada', 'ada']);
  await Promise.all(all);
  expect(performance.now() - since).toBeGreaterThan(500);
});

test('a user who paused goes on when there is room, however long the work of others takes', async () => {
  const turns = new FairTurns(2, never, 1, new Usage());
  let end = (): void => undefined;
  const long = turns.run(
    'ada',
    60_000,
    () =>
      new Promise<void>((resolve) => {
        end = resolve;
      }),
  );
  await turns.run('eve', 60_000, () => delay(30));
  await turns.run('eve', 60_000, async () => undefined);
  end();
  await long;
});

test('a write on SQLite passes 63 of another user, and closing waits for all of them', async () => {
  const file = await temporaryFile();
  const store = await sqliteStore(file.db);
  try {
    const order: string[] = [];
    const write = (user: string, name: string) =>
      store.transact(async (writer) => {
        await writer.insert('users', { id: `usr_${name}`, name, email: `${name}@x.test` });
        order.push(user);
      }, user);
    const all = Array.from({ length: 64 }, (_, n) => write('eve', `eve${n}`));
    all.push(write('ada', 'ada'));
    await store.close();
    await Promise.all(all);
    expect(order.indexOf('ada')).toBeLessThan(3);
    expect(order).toHaveLength(65);
  } finally {
    await file.remove();
  }
});

test('a user whose writes on SQLite take long pauses while others write, and not for what the server writes', async () => {
  const file = await temporaryFile();
  const store = await sqliteStore(file.db);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const order: string[] = [];
    const write = (ms: number, user?: string) =>
      store.transact(async () => {
        order.push(user ?? 'server');
        await new Promise((resolve) => setTimeout(resolve, ms));
      }, user);
    const all = Array.from({ length: 5 }, () => write(300, 'eve'));
    all.push(write(0));
    await vi.advanceTimersByTimeAsync(1000);
    expect(order).toEqual(['eve', 'server', 'eve', 'eve', 'eve']);
    all.push(write(0, 'ada'));
    await vi.advanceTimersByTimeAsync(400);
    all.push(write(0, 'ada'));
    await vi.advanceTimersByTimeAsync(400);
    expect(order.slice(5)).toEqual(['ada', 'ada']);
    const closed = store.close();
    await vi.advanceTimersByTimeAsync(3000);
    await Promise.all([...all, closed]);
    expect(order.slice(7)).toEqual(['eve']);
  } finally {
    vi.useRealTimers();
    await file.remove();
  }
});

test('reads that may take long and writes are for a user, in whichever organization', async () => {
  const { store, dispose } = await openTestStore('memory');
  try {
    await store.load(demoSeed());
    const users: (string | undefined)[] = [];
    const watched: Store = {
      ...store,
      read: (work) =>
        store.read((reader) =>
          work({
            ...reader,
            scan(table, index, key, scan: Scan) {
              users.push(scan.by);
              return reader.scan(table, index, key, scan);
            },
            select(table, organization, selection: Selection, slice) {
              users.push(selection.by);
              return reader.select(table, organization, selection, slice);
            },
          }),
        ),
      transact(work, by) {
        users.push(by);
        return store.transact(work, by);
      },
    };
    const app = createApp({ store: watched, renderer: webPages() });
    const authorization = `Bearer ${demoTokens.ada_write}`;
    const pages = ['?name=a', '?sort=-budget', '.csv'].map(
      (query) => [`/organizations/5/campaigns${query}`, {}] as const,
    );
    const write = { method: 'POST', body: '{"campaign":{"name":"x"}}' };
    for (const [path, init] of [...pages, [campaigns, write] as const]) {
      const headers = {
        authorization,
        ...(path === campaigns && { accept: 'application/json', 'content-type': 'application/json' }),
      };
      users.length = 0;
      const response = await app.fetch(new Request(`http://127.0.0.1:4010${path}`, { headers, ...init }));
      expect([response.ok, [...new Set(users)]]).toEqual([true, ['usr_ada']]);
    }
  } finally {
    await dispose();
  }
});

test.each([
  ['a download', '/organizations/5/campaigns.csv', 5],
  ['a page to print', '/organizations/5/campaigns?print=1', 4],
  ['the page of an action on many items', '/organizations/5/campaigns/actions?action=delete&select=all', 8],
])('%s takes a turn for each piece of a long list', async (_, path, most) => {
  let count = 0;
  const turns = {
    ...noTurns,
    async resume() {
      count += 1;
    },
  };
  const site = await demoSite({}, { turns });
  await site.store.transact(async (writer) => {
    const { id: _, ...row } = (await writer.get('campaigns', 3)) as NonNullable<
      Awaited<ReturnType<typeof writer.get<'campaigns'>>>
    >;
    for (let n = 0; n < 900; n += 1) await writer.insert('campaigns', { ...row, status: 'draft' });
  });
  const visitor = await site.signedIn('ada_write');
  count = 0;
  const { status, text } = await visitor.get(path);
  expect([status, text.length > 40_000]).toEqual([200, true]);
  expect(count).toBeGreaterThanOrEqual(most);
});

describe('images that are not in memory', () => {
  const loaded: string[] = [];
  const load = vi.fn(async (_key: string): Promise<void> => undefined);
  const images = async (turns: Turns) => {
    loaded.splice(0);
    const store = memoryStore();
    await store.load(demoSeed());
    for (const id of ['a', 'b', 'c', 'd'])
      await store.transact((writer) =>
        writer.insert('images', imageRow(id, { organization_id: 5, bytes: new Uint8Array(1024 * 1024) })),
      );
    const read: Store['read'] = async (work) => {
      let key: string | undefined;
      const result = await store.read((reader) =>
        work({
          ...reader,
          get(table, id) {
            if (table === 'images') key = String(id);
            return reader.get(table, id);
          },
        }),
      );
      if (key !== undefined) {
        loaded.push(key);
        await load(key);
      }
      return result;
    };
    const app = createApp({ store: { ...store, read }, renderer: webPages(), turns });
    return (remoteAddress: string, key: string, headers = {}, signal?: AbortSignal) =>
      app.fetch(new Request(`http://127.0.0.1/images/${key}`, { method: 'HEAD', ...(signal && { signal }) }), {
        incoming: { headers, socket: { remoteAddress, destroy: () => undefined } },
      });
  };

  test('are loaded one after the other for a client, and meanwhile for another one or a user of the same address', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    load.mockImplementation((key) => (key === 'a' ? held : Promise.resolve()));
    const turns = new Turns();
    const cookie = 'mkt_session_4010=ada';
    turns.identified({ cookie }, 'usr_ada');
    const get = await images(turns);
    const own = ['a', 'b', 'c'].map((key) => get('192.0.2.1', key));
    expect((await get('192.0.2.2', 'd')).headers.get('content-length')).toBe(String(1024 * 1024));
    expect((await get('192.0.2.1', 'b', { cookie })).status).toBe(200);
    expect(loaded).toEqual(['a', 'd', 'b']);
    release();
    expect((await Promise.all(own)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(loaded).toEqual(['a', 'd', 'b', 'c']);
  });

  test('are not loaded for clients that have gone, and keep no other request of their address waiting', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    load.mockImplementation((key) => (key === 'a' ? held : Promise.resolve()));
    const turns = new Turns();
    const get = await images(turns);
    for (const userId of ['eve', 'ada']) void turns.start({ userId });
    const gone = new AbortController();
    const clientAt = (remotePort: number) => ({ userId: null, connection: { remoteAddress: '192.0.2.1', remotePort } });
    const all = Array.from({ length: 20 }, async (_, number) => {
      await turns.start(clientAt(number));
      const response = await get(
        '192.0.2.1',
        'abcd'[number % 4] as string,
        {},
        number % 4 === 2 ? gone.signal : undefined,
      );
      turns.end(clientAt(number));
      return response.status;
    });
    await vi.waitUntil(() => loaded.length > 0);
    await turns.start(clientAt(100));
    gone.abort();
    release();
    expect(new Set(await Promise.all(all))).toEqual(new Set([200, 404]));
    expect(loaded).not.toContain('c');
  });

  test('are loaded more slowly while there are others', async () => {
    load.mockImplementation(async () => undefined);
    const timeFor = async (isShared: boolean): Promise<number> => {
      const turns = new Turns();
      for (const userId of isShared ? ['eve', 'ada'] : ['eve']) turns.start({ userId });
      const get = await images(turns);
      const since = performance.now();
      for (const key of ['a', 'b', 'c', 'd']) await get('192.0.2.1', key);
      return performance.now() - since;
    };
    // Each has 1 MiB, and 8 KiB take a millisecond.
    const timeWithOthers = await timeFor(true);
    expect(timeWithOthers).toBeGreaterThan(300);
    expect(await timeFor(false)).toBeLessThan(timeWithOthers);
  });
});

test('each step of the work on a large image counts for the user who sent it', async () => {
  const turnsFor = async (image: Uint8Array): Promise<number> => {
    const callers: Caller[] = [];
    const resume = (caller: Caller) => void callers.push(caller);
    const api = await demoApi({
      turns: { ...noTurns, resume },
    });
    const sent = { body: organizationForm({}, image) };
    expect((await api.call('ada_write', 'PATCH', '/organizations/5.json', sent)).status).toBe(200);
    return callers.filter(({ userId }) => userId === 'usr_ada').length;
  };
  const comment = `!\x01${`\x7f${'x'.repeat(0x7f)}`.repeat(4000)}\0`;
  const large = Buffer.from(`GIF89a\x01\0\x01\0\0\0\0${comment},\0\0\0\0\x01\0\x01\0\0\x02\x02L\x01\0;`, 'latin1');
  // After dividing the form, after parsing it, and before its image is stored.
  expect(await turnsFor(large)).toBe((await turnsFor(gif)) + 3);
});
