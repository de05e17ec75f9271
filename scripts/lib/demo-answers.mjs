// What the API answers on the demo data: bodies for the reference, from the server's own app.
import { fromSource } from './from-source.mjs';

const baseUrl = 'http://127.0.0.1:4010';

/** No request here goes without `Accept: application/json`. */
const noFace = { instead: () => null, view: unexpected, problem: unexpected };
function unexpected() {
  throw new Error('Only JSON is asked for here.');
}

/** @returns A function that asks as Ada, and gives the body. */
export async function demoAnswers() {
  const { createApp, demoSeed, demoTokens, memoryStore } = await fromSource('packages/server/src/index.ts');
  const store = memoryStore();
  await store.load(demoSeed());
  const app = createApp({ store, face: noFace, baseUrl });
  const headers = { Accept: 'application/json', Authorization: `Bearer ${demoTokens.ada_write}` };
  return async (path) => {
    const response = await app.fetch(new Request(`${baseUrl}${path}`, { headers }));
    if (!response.ok) throw new Error(`${path} answered ${response.status}.`);
    return response.json();
  };
}
