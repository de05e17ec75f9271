import { AnyMap, originalPositionFor, type TraceMap } from '@jridgewell/trace-mapping';
import { callOf } from './call-sites.js';

/** Of the scripts of this page, by their URLs; null if a script has none. */
const maps = new Map<string, Promise<TraceMap | null>>();
const ask = (url: string): Promise<Response> => fetch(url, { signal: AbortSignal.timeout(2000) });

async function readMap(script: string): Promise<TraceMap | null> {
  const code = await (await ask(script)).text();
  const link = [...code.matchAll(/^\/\/[#@] sourceMappingURL=(\S+)/gm)].at(-1)?.[1];
  if (link === undefined) return null;
  const url = new URL(link, script).href;
  return new AnyMap(await (await ask(url)).json(), url.startsWith('data:') ? script : url);
}

const place = /(https?:\/\/[^\s()]+):(\d+):(\d+)/g;

async function sourceOf([whole, script = '', line, column]: RegExpMatchArray): Promise<readonly [string, string]> {
  const map = maps.get(script) ?? readMap(script).catch(() => null);
  maps.set(script, map);
  const read = await map;
  const found = read && originalPositionFor(read, { line: Number(line), column: Number(column) - 1 });
  if (!found || found.source === null) return [whole, whole];
  const source = found.source.replace(/^(?!file:)[\w-]+:\/\/[^/]*\/(\.\/)?/, '');
  return [whole, `${source}:${found.line}:${found.column + 1}`];
}

/** In a page, names the lines of the sources instead of those of the scripts that were made of them, and prints `text`. */
export async function traceInPage(site: Error | undefined, text: string): Promise<void> {
  const { stack = '' } = site ?? {};
  const places = [...stack.matchAll(place)];
  if (!site || places.length === 0) return;
  const sources = new Map(await Promise.all(places.map(sourceOf)));
  site.stack = stack.replace(place, (whole) => sources.get(whole) ?? whole);
  if (text !== '') console.error(`[mkt mock] ${text}\n    at ${callOf(site)}`);
}
