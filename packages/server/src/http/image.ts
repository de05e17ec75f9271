import type { Store } from '../store/store.js';
import type { Exchange } from './exchange.js';
import { unknownRoute } from './problems.js';

/** A logo or banner. Its address is unguessable and needs no token: an `<img>` cannot send one (D30). */
export async function imageAnswer(exchange: Exchange, store: Store, key: string): Promise<Response> {
  const image = await store.read((reader) => reader.get('images', key));
  if (!image) throw unknownRoute();
  return exchange.respond(200, image.bytes as BodyInit, {
    'Content-Type': image.type,
    'Content-Length': String(image.bytes.length),
    // A browser must not find a page or a script in an uploaded file.
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
}
