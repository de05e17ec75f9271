// A program as a user of the generated client writes it: it lists, creates and publishes.
import { client } from './generated/client/client.gen';
import { campaignsCreate, campaignsGet, campaignsList, campaignsPublish } from './generated/client/sdk.gen';
import type { components } from './generated/types';

export interface Summary {
  readonly listed: number;
  readonly created: components['schemas']['Campaign'];
  readonly published: components['schemas']['Campaign'];
}

export async function listCreatePublish(baseUrl: string, token: string): Promise<Summary> {
  client.setConfig({ baseUrl, headers: { Accept: 'application/json', Authorization: `Bearer ${token}` } });
  const path = { organization_id: 5 };
  const list = await campaignsList({ path, query: { page: 3 }, throwOnError: true });
  const { data: created } = await campaignsCreate({
    path,
    body: { campaign: { name: 'Made by a generated client', countries: ['US'], cpm_amount: 700 } },
    throwOnError: true,
  });
  const one = { ...path, id: created.id };
  // fetch follows the redirect with the same headers, so that the answer is the campaign.
  await campaignsPublish({ path: one, throwOnError: true });
  const { data: published } = await campaignsGet({ path: one, throwOnError: true });
  return { listed: list.data.length, created, published };
}
