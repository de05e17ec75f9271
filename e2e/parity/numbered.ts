import type { Snapshot } from '@mkt/mock-server';

const tables = ['organizations', 'campaigns', 'collabs', 'social_accounts', 'access_tokens', 'addresses'];

/** The ids of numbered rows, by table and number. */
function idsIn(snapshot: Snapshot): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const table of tables)
    for (const row of snapshot.tables[table] ?? []) {
      const { id, position } = row as { readonly id: string; readonly position: number };
      ids.set(`${table} ${position}`, id);
    }
  return ids;
}

/**
 * A fetch for calls with integer ids, to a marketplace with opaque ones: integers in paths become the ids of the rows with
 * these numbers, and the ids in responses become numbers. So the same calls can be compared in both formats.
 */
export function numbered(fetch: typeof globalThis.fetch, snapshot: () => Promise<Snapshot>): typeof globalThis.fetch {
  return async (input, init) => {
    const before = idsIn(await snapshot());
    const path = String(input)
      .replace(/\/(organizations|campaigns|collabs|social_accounts|access_tokens)\/(\d+)/g, (whole, table, number) => {
        const id = before.get(`${table} ${number}`);
        return id === undefined ? whole : `/${table}/${id}`;
      })
      .replace(/\/mem_(\d+)_/, (whole, number) => `/mem_${before.get(`organizations ${number}`) ?? whole}_`);
    const response = await fetch(path, init);
    const numbers = new Map(
      [...before, ...idsIn(await snapshot())].map(([name, id]) => [id, name.split(' ')[1] ?? ''] as const),
    );
    const translated = (text: string): string =>
      text
        .replace(/"([a-z][a-z0-9]{11})"/g, (whole, id) => numbers.get(id) ?? whole)
        .replace(/[a-z][a-z0-9]{11}/g, (id) => numbers.get(id) ?? id);
    const headers = new Headers(response.headers);
    const location = headers.get('location');
    if (location !== null) headers.set('location', translated(location));
    const { status, statusText } = response;
    const body = await response.text().then(translated, brokenOff);
    return new Response(body === '' ? null : body, { status, statusText, headers });
  };
}

const brokenOff = (reason: unknown): ReadableStream =>
  new ReadableStream({
    start: (controller) => controller.error(reason),
  });
