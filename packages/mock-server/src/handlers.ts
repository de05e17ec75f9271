import { type HttpHandler, http } from 'msw';
import type { Answer } from './in-process.js';

const escapedForRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/**
 * One handler for the whole API: MSW asks its handlers one after the other, and one per endpoint is four times slower.
 * It gives undefined for what is not the API's, so that other handlers, or the network, have it.
 */
export const catchAll = (baseUrl: string, answer: Answer): HttpHandler =>
  http.all(new RegExp(`^${escapedForRegExp(baseUrl)}(/|$)`), ({ request }) => answer(request));
