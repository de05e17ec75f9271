import type { Store } from '../store/store.js';
import type { Exchange } from './exchange.js';
import { unknownRoute } from './problems.js';

/**
 * Responds with a logo or banner. Its URL is unguessable and needs no token: an `<img>` cannot send one.
 * Responses with the same image share its bytes: 100 clients that read slowly hold 5 MiB, not 500.
 */
export function imageResponder(store: Store): (exchange: Exchange, key: string) => Promise<Response> {
  const inMemory = new Map<string, WeakRef<Uint8Array>>();
  const loading = new Map<string, Promise<Uint8Array | null>>();

  const load = async (key: string): Promise<Uint8Array | null> => {
    const image = await store.read((reader) => reader.get('images', key));
    if (inMemory.size >= maxRemembered) inMemory.clear();
    if (image) inMemory.set(key, new WeakRef(image.bytes));
    return image?.bytes ?? null;
  };
  const bytesOf = async (exchange: Exchange, key: string): Promise<Uint8Array | null> => {
    const known = () => inMemory.get(key)?.deref() ?? loading.get(key);
    let bytes = (await known()) ?? null;
    if (bytes) return bytes;
    const { signal } = exchange.request;
    await exchange.loading(async () => {
      if (signal.aborted) return 0;
      // Another client may have loaded it meanwhile.
      bytes = (await known()) ?? null;
      if (bytes) return 0;
      const loaded = load(key).finally(() => loading.delete(key));
      loading.set(key, loaded);
      bytes = await loaded;
      return bytes?.length ?? 0;
    });
    return bytes;
  };

  return async (exchange, key) => {
    // Lists leave out the bytes: this only asks whether the image still exists.
    const image = await store.read(async (reader) => {
      const [found] = await reader.getMany('images', [key]);
      // A store may remove the images of a deleted organization later.
      return found && (await reader.get('organizations', found.organization_id)) ? found : null;
    });
    const bytes = image && (await bytesOf(exchange, key));
    if (!bytes) throw unknownRoute(!exchange.wantsJson);
    return exchange.respond(200, bytes as BodyInit, {
      'Content-Type': image.type,
      'Content-Length': String(bytes.length),
      // Browsers must not interpret uploaded files as pages or scripts.
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cache-Control': 'public, max-age=31536000, immutable',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
  };
}

/** References to images. Most images are no longer in memory. */
const maxRemembered = 1000;
