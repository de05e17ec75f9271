// A program of an older project: no setting beyond the defaults of its compiler.
import { type Campaign, ConnectionError, Marketplace, type Page } from '@mkt/sdk';
import { marketplaceQueries } from '@mkt/sdk/query';

const mkt = new Marketplace({ token: 'x', baseUrl: 'https://api.example.com', fetch, headers: new Headers() });
const queries = marketplaceQueries(mkt);

export async function names(): Promise<string[]> {
  const found: string[] = [];
  for await (const campaign of mkt.organization(5).campaigns.list()) found.push(campaign.name);
  return found;
}

export const rename = (name: string): Promise<Campaign> => mkt.campaigns.update(5, 1, { name });

export const publish = queries.campaigns.publish.mutationOptions;
export const page: Promise<{ items: Page<{ name: string }>['items'] }> = queries.campaigns.list
  .queryOptions(5)
  .queryFn({ signal: new AbortController().signal });

export const canRepeat = (error: unknown): boolean => error instanceof ConnectionError && !error.mayHaveArrived;

// @ts-expect-error there is no such field
export const wrong = async () => (await mkt.campaigns.get(5, 1)).nmae;
