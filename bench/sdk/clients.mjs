// The SDK and its rivals, each on the same server: how each reads one resource and walks a list of 25 pages.

const token = 'bench';
const path = '/organizations/5/campaigns/1.json';
const quiet = () => undefined;

async function collect(list) {
  const items = [];
  for await (const item of list) items.push(item);
  return items;
}

const headers = { accept: 'application/json', authorization: `Bearer ${token}` };

/** How each client is made; its package is loaded with it. */
const makers = {
  'raw fetch': async (baseUrl) => ({ get: async () => (await fetch(baseUrl + path, { headers })).json() }),

  async 'bare ky'(baseUrl) {
    const { default: ky } = await import('ky');
    const client = ky.create({ headers });
    return { get: () => client.get(baseUrl + path).json() };
  },

  async '@mkt/sdk'(baseUrl) {
    const { Marketplace } = await import('@mkt/sdk');
    const mkt = new Marketplace({ token, baseUrl });
    return { get: () => mkt.campaigns.get(5, 1), walk: () => mkt.campaigns.list(5).all() };
  },

  /** `onDrift` makes the client check every response at once; without it the check waits until `meta.issues` is read. */
  async '@mkt/sdk with onDrift'(baseUrl) {
    const { Marketplace } = await import('@mkt/sdk');
    const mkt = new Marketplace({ token, baseUrl, onDrift: quiet });
    return { get: () => mkt.campaigns.get(5, 1) };
  },

  async openai(baseURL) {
    const { default: OpenAI } = await import('openai');
    const openai = new OpenAI({ apiKey: token, baseURL });
    return { get: () => openai.models.retrieve('1'), walk: () => collect(openai.files.list()) };
  },

  async stripe(baseUrl) {
    const { default: Stripe } = await import('stripe');
    const { hostname: host, port } = new URL(baseUrl);
    const stripe = new Stripe(token, { host, port, protocol: 'http', telemetry: false });
    return {
      get: () => stripe.customers.retrieve('cus_1'),
      walk: () => stripe.customers.list({ limit: 20 }).autoPagingToArray({ limit: 10_000 }),
    };
  },

  async octokit(baseUrl) {
    const { Octokit } = await import('octokit');
    const octokit = new Octokit({
      auth: token,
      baseUrl,
      log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    });
    return {
      get: () => octokit.request('GET /organizations/{org}/campaigns/{id}.json', { org: 5, id: 1 }),
      walk: () => octokit.paginate('GET /octokit'),
    };
  },
};

/** All clients of the CPU comparison. */
export const contenders = Object.keys(makers);
/** One for each package. */
export const names = contenders.filter((name) => name !== '@mkt/sdk with onDrift');
export const client = (name, baseUrl) => makers[name](baseUrl);
