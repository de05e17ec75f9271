// Our OpenAPI document with what our server answers as its examples: Prism answers with those.
import { readFileSync } from 'node:fs';

const source = new URL('../../../docs/openapi.json', import.meta.url);

/** @param {{ list: object[], item: object }} answers */
export function openapiWithExamples({ list, item }) {
  const openapi = JSON.parse(readFileSync(source, 'utf8'));
  const campaigns = openapi.paths['/organizations/{organization_id}/campaigns.json'];
  const campaign = openapi.paths['/organizations/{organization_id}/campaigns/{id}.json'];
  campaigns.get.responses['200'].content['application/json'].example = list;
  campaigns.post.responses['201'].content['application/json'].example = item;
  campaign.get.responses['200'].content['application/json'].example = item;
  return openapi;
}
