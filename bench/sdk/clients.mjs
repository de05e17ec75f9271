// The SDK and its rivals, each on the same server: how each reads one thing and walks a list of 25 pages.
import { Marketplace } from '@mkt/sdk';
import ky from 'ky';
import { Octokit } from 'octokit';
import OpenAI from 'openai';
import Stripe from 'stripe';

const token = 'bench';
const path = '/organizations/5/campaigns/1.json';
const quiet = () => undefined;

async function collect(list) {
  const items = [];
  for await (const item of list) items.push(item);
  return items;
}

export function clients(baseUrl) {
  const { hostname, port } = new URL(baseUrl);
  const headers = { accept: 'application/json', authorization: `Bearer ${token}` };
  const mkt = new Marketplace({ token, baseUrl });
  const bareKy = ky.create({ headers });
  const openai = new OpenAI({ apiKey: token, baseURL: baseUrl });
  const stripe = new Stripe(token, { host: hostname, port, protocol: 'http', telemetry: false });
  const octokit = new Octokit({ auth: token, baseUrl, log: { debug: quiet, info: quiet, warn: quiet, error: quiet } });
  return {
    'raw fetch': { get: async () => (await fetch(baseUrl + path, { headers })).json() },
    'bare ky': { get: () => bareKy.get(baseUrl + path).json() },
    '@mkt/sdk': { get: () => mkt.campaigns.get(5, 1), walk: () => mkt.campaigns.list(5).all() },
    openai: { get: () => openai.models.retrieve('1'), walk: () => collect(openai.files.list()) },
    stripe: {
      get: () => stripe.customers.retrieve('cus_1'),
      walk: () => stripe.customers.list({ limit: 20 }).autoPagingToArray({ limit: 10_000 }),
    },
    octokit: {
      get: () => octokit.request('GET /organizations/{org}/campaigns/{id}.json', { org: 5, id: 1 }),
      walk: () => octokit.paginate('GET /octokit'),
    },
  };
}
