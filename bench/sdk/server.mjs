// One local server for all clients: the same object for everyone, and a list of 500 in 25 pages in each client's own way of
// paging. It runs in a process of its own, so that the client's CPU time is the client's. Says its port and its counts to the parent.
import { createServer } from 'node:http';

const campaign = (id) => ({
  id,
  name: `Summer UGC Campaign ${id}`,
  status: 'active',
  currency: 'usd',
  countries: ['US', 'CA'],
  website: 'https://acme.example',
  content_type: 'ugc',
  category: 'product',
  platform_ids: ['youtube', 'tiktok'],
  tiktok_music_id: null,
  cpm_amount: 500,
  min_payout_amount: 1000,
  max_payout_amount: 10000,
  base_reward_amount: 0,
  total_budget_amount: 0,
  used_amount: 0,
  unused_amount: 0,
  view_count: 0,
  submissions_count: 0,
  published_at: '2026-01-05T09:00:00Z',
  paused_at: null,
  created_at: '2026-01-05T09:00:00Z',
  updated_at: '2026-01-05T09:00:00Z',
  url: `http://localhost/organizations/5/campaigns/${id}.json`,
  banner_image_url: null,
});

const size = 20;
const pages = 25;
const latency = 40;
const one = JSON.stringify({ ...campaign(1), brief: '<p>Show it.</p>' });
const items = Array.from({ length: pages * size }, (_, index) => campaign(index + 1));
const counts = { requests: 0, notModified: 0 };

const after = (id) => items.slice(Number(id ?? 0), Number(id ?? 0) + size);
const cursorPage = (found) => ({
  object: 'list',
  url: '/v1/customers',
  data: found,
  has_more: found.at(-1)?.id < items.length,
});

const server = createServer(async (request, response) => {
  counts.requests += 1;
  const url = new URL(request.url, 'http://localhost');
  const send = (body, headers = {}) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
  if (url.pathname.startsWith('/etag/')) {
    if (request.headers['if-none-match'] === '"1"') {
      counts.notModified += 1;
      response.writeHead(304, { etag: '"1"' });
      response.end();
    } else send(one, { etag: '"1"' });
    return;
  }
  if (!/(campaigns\.json|\/files|\/v1\/customers|\/octokit)$/.test(url.pathname)) {
    send(one);
    return;
  }
  await new Promise((resolve) => setTimeout(resolve, latency));
  const page = Number(url.searchParams.get('page') ?? 1);
  if (url.pathname.endsWith('/files')) send(cursorPage(after(url.searchParams.get('after'))));
  else if (url.pathname.endsWith('/customers')) send(cursorPage(after(url.searchParams.get('starting_after'))));
  else {
    const next = `<http://${request.headers.host}${url.pathname}?page=${page + 1}>; rel="next"`;
    send(items.slice((page - 1) * size, page * size), {
      'total-count': String(items.length),
      'total-pages': String(pages),
      ...(page < pages && { link: next }),
    });
  }
});

process.on('message', () => process.send({ ...counts }));
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
