// What a program of a user does with the packages, as a module. Its types hold under every resolution, and it runs.
import { createMarketplaceMock, type Fault, type MarketplaceMock } from '@mkt/mock-server';
import { connectControl, type RemoteControl } from '@mkt/mock-server/control';
import { type Campaign, type Id, Marketplace, NotFoundError, type Page } from '@mkt/sdk';
import { endpoints } from '@mkt/sdk/contract';
import { resources } from '@mkt/sdk/contract/resources';
import { FileStore, fileFromPath } from '@mkt/sdk/node';

const mock: MarketplaceMock = createMarketplaceMock();
const cache = new FileStore({ folder: 'cache' });
const mkt = new Marketplace({ token: mock.tokens.ada_write, baseUrl: mock.baseUrl, fetch: mock.fetch, cache });

const names = async (): Promise<string[]> => (await mkt.campaigns.list(5).all()).map(({ name }) => name);
const page = (): PromiseLike<Page<{ id: Id }>> => mkt.organization(5).collabs.list();
const campaign = (): PromiseLike<Campaign> => mkt.campaigns.publish(5, 1);
const stateField: string = resources.campaigns.states.field;
const logo = async (file: string) => mkt.organizations.update(5, { logo: await fileFromPath(file) });
const remote = (url: string): RemoteControl => connectControl({ url, token: 'x' });
// @ts-expect-error there is no such field
const wrong = async () => (await campaign()).nmae;

const fault: Fault = mock.faults.add({ match: { operation: 'campaigns.publish' }, effect: { status: 404 }, times: 1 });
const failure: unknown = await campaign().then(
  () => undefined,
  (error: unknown) => error,
);
const facts = [
  (await names()).length,
  (await page()).items.length,
  failure instanceof NotFoundError,
  mock.faults.get(fault.id).hits,
  endpoints.length,
  typeof logo,
  stateField,
  typeof remote,
  typeof wrong,
];
console.log(facts.join(' '));
