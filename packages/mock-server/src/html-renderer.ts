import type { HtmlRenderer } from '@mkt/server';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const page = (title: string, sentence: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(title)}</title></head>
<body><h1>${escaped(title)}</h1><p>${escaped(sentence)}</p></body>
</html>`;

/** The mock has no pages: requests that do not accept JSON get a page that explains it. */
export const htmlRenderer: HtmlRenderer = {
  respond(exchange) {
    const sentence = `${exchange.method} ${exchange.url.pathname} was sent without the header Accept: application/json, so the response is a page, as from the real service. Send that header with every request. Nothing was changed.`;
    return exchange.html(200, page('This is a page, not JSON', sentence));
  },
  problem(exchange, { status, headers, error }) {
    const sentence = typeof error === 'string' ? error : 'The request was rejected.';
    return exchange.html(status, page(String(status), sentence), headers);
  },
};
