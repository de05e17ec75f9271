import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { type Dump, dumpTables, type Reader, type Store, type Writer } from '../../src/store/store.js';
import { campaignRow, organizationRow, userRow } from './rows.js';
import { openTestStore, type StoreKind, storeKinds, type TestStore } from './stores.js';

export const nothing: Dump = {
  tables: dumpTables(() => []),
  serials: {},
};
export const firstPage = { offset: 0, limit: 20 };

/** A store that each test finds with the users `ada` and `ben` and the organizations 1 and 2, and nothing else. */
export interface StoreStage {
  readonly kind: StoreKind;
  readonly store: Store;
  read<Result>(work: (reader: Reader) => Promise<Result>): Promise<Result>;
  write<Result>(work: (writer: Writer) => Promise<Result>): Promise<Result>;
  /** "Campaign 1", "Campaign 2", ... of organization 1. */
  addCampaigns(count: number, changes?: Parameters<typeof campaignRow>[0]): Promise<void>;
}

/** Declares the same tests for every store: they are one behavior. */
export function everyStore(declare: (stage: StoreStage) => void): void {
  describe.each(storeKinds)('the %s store', (kind) => {
    let opened: TestStore;
    const stage: StoreStage = {
      kind,
      get store() {
        return opened.store;
      },
      read: (work) => opened.store.read(work),
      write: (work) => opened.store.transact(work),
      addCampaigns: (count, changes = {}) =>
        stage.write(async (writer) => {
          for (let number = 1; number <= count; number += 1)
            await writer.insert('campaigns', campaignRow({ name: `Campaign ${number}`, ...changes }));
        }),
    };
    beforeAll(async () => {
      opened = await openTestStore(kind);
    });
    afterAll(() => opened?.dispose());
    beforeEach(async () => {
      await stage.store.load(nothing);
      await stage.write(async (writer) => {
        await writer.insert('users', userRow('ada'));
        await writer.insert('users', userRow('ben'));
        await writer.insert('organizations', organizationRow());
        await writer.insert('organizations', organizationRow({ name: 'Globex' }));
      });
    });
    declare(stage);
  });
}
