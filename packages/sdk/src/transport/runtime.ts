/**
 * Whether this is a browser: a page or one of its workers. Browsers revalidate by their own HTTP cache, hide redirects,
 * and ask the server first (CORS) about every header beyond the simplest.
 */
export const isBrowser: boolean =
  'document' in globalThis || typeof (globalThis as { importScripts?: unknown }).importScripts === 'function';
