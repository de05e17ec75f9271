import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { demoSeed } from '../src/index.js';
import { openTestStore, storeKinds, type TestStore } from './support/stores.js';
import { demoSite, type Site } from './support/visitor.js';

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

describe.each(storeKinds)('sessions and forms on the %s store', (kind) => {
  let opened: TestStore;
  let site: Site;
  beforeEach(async () => {
    opened = await openTestStore(kind);
    await opened.store.load(demoSeed());
    site = await demoSite({ sessionSecret: 'one secret for all processes of this server' }, { store: opened.store });
  });
  afterEach(() => opened?.dispose());

  test('sign in, write, and out again when the token is revoked', async () => {
    const ada = await site.signedIn('ada_write');
    const created = await ada.submit('/organizations/5/campaigns/new', '/organizations/5/campaigns', {
      'campaign[name]': '夏 🌸 <b>',
    });
    expect((await ada.follow(created)).find('h1')).toBe('夏 🌸 <b>');
    expect((await ada.get('/organizations/5/members')).all('tbody th')).toHaveLength(3);

    // Another process over the same data, with the same secret.
    const other = await demoSite(
      { sessionSecret: 'one secret for all processes of this server' },
      { store: opened.store },
    );
    const elsewhere = other.visitor();
    for (const [name, value] of ada.cookies) elsewhere.cookies.set(name, value);
    await elsewhere.submit('/me/access_tokens/1/delete', '/me/access_tokens/1');
    expect((await ada.get('/organizations')).location).toBe('/sign_in?return_to=%2Forganizations');
  });
});
