// The same as program.mts, as CommonJS.
import mockServer = require('@mkt/mock-server');
import control = require('@mkt/mock-server/control');
import sdk = require('@mkt/sdk');
import contract = require('@mkt/sdk/contract');
import resources = require('@mkt/sdk/contract/resources');
import node = require('@mkt/sdk/node');

const mock: mockServer.MarketplaceMock = mockServer.createMarketplaceMock();
const cache = new node.FileStore({ folder: 'cache' });
const { tokens, baseUrl, fetch } = mock;
const mkt = new sdk.Marketplace({ token: tokens.ada_write, baseUrl, fetch, cache });

const names = async (): Promise<string[]> => (await mkt.campaigns.list(5).all()).map(({ name }) => name);
const page = (): PromiseLike<sdk.Page<{ id: sdk.Id }>> => mkt.organization(5).collabs.list();
const campaign = (): PromiseLike<sdk.Campaign> => mkt.campaigns.publish(5, 1);
const stateField: string = resources.resources.campaigns.states.field;
const logo = async (file: string) => mkt.organizations.update(5, { logo: await node.fileFromPath(file) });
const remote = (url: string): control.RemoteControl => control.connectControl({ url, token: 'x' });
// @ts-expect-error there is no such field
const wrong = async () => (await campaign()).nmae;

const match = { operation: 'campaigns.publish' } as const;
const fault: mockServer.Fault = mock.faults.add({ match, effect: { status: 404 }, times: 1 });
async function main() {
  const failure: unknown = await campaign().then(
    () => undefined,
    (error: unknown) => error,
  );
  const facts = [
    (await names()).length,
    (await page()).items.length,
    failure instanceof sdk.NotFoundError,
    mock.faults.get(fault.id).hits,
    contract.endpoints.length,
    typeof logo,
    stateField,
    typeof remote,
    typeof wrong,
  ];
  console.log(facts.join(' '));
}
void main();
