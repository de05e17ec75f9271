import type { Snapshot } from '../control-types.js';

const key = 'mkt-state';
/** Browsers and chats cut longer links. */
const maxLength = 64_000;

const through = (
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<ArrayBuffer> => new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer();

/** The URL of the page with the state in its fragment, which browsers do not send. @throws if the state is too large */
export async function stateLink(state: Snapshot): Promise<string> {
  const json = new TextEncoder().encode(JSON.stringify(state));
  const bytes = new Uint8Array(await through(json, new CompressionStream('deflate-raw')));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  if (text.length > maxLength) throw new Error('There is too much data for a link. Download a snapshot instead.');
  const url = new URL(location.href);
  // A hash is the route of some applications.
  const route = url.hash.slice(1);
  url.hash = `${route && `${route}&`}${key}=${text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
  return url.href;
}

/** Takes the state out of the page's URL; null if it has none. @throws if it is not complete */
export async function takeLinkedState(): Promise<Snapshot | null> {
  const [, route = '', text] = new RegExp(`^(.*?)[#&]${key}=([\\w-]+)$`).exec(location.hash) ?? [];
  if (text === undefined) return null;
  history.replaceState(history.state, '', location.pathname + location.search + route);
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
  const json = await through(bytes, new DecompressionStream('deflate-raw')).catch((cause: unknown) => {
    throw new Error('The link to a state is not complete.', { cause });
  });
  return JSON.parse(new TextDecoder().decode(json)) as Snapshot;
}
