import type { PageRequest } from '../rules/context.js';
import type { Exchange } from './exchange.js';
import { badRequest } from './problems.js';

/** `?page=N` from 1, once; a larger number than there are pages is fine (D1, D3). */
export function pageOf(exchange: Exchange, size: number): PageRequest {
  const [number = '1', ...more] = exchange.query('page');
  if (more.length > 0 || !/^[1-9][0-9]*$/.test(number)) {
    throw badRequest('The page parameter must be one whole number from 1 on, such as ?page=2.');
  }
  return { number, size };
}

/** D2. An empty list has one page. */
export const pageHeaders = (page: PageRequest, total: number): Record<string, string> => ({
  'Total-Count': String(total),
  'Total-Pages': String(Math.max(1, Math.ceil(total / page.size))),
  'Current-Page': page.number,
  'Page-Items': String(page.size),
});
