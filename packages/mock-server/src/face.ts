import type { Exchange, Face } from '@mkt/server';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const page = (title: string, sentence: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(title)}</title></head>
<body><h1>${escaped(title)}</h1><p>${escaped(sentence)}</p></body>
</html>`;

const missingHeader = (exchange: Exchange): string =>
  page(
    'This is a page, not JSON',
    `${exchange.method} ${exchange.url.pathname} was sent without the header Accept: application/json, so the API answers with a page, as the real service does. Send that header with every request. Nothing was changed.`,
  );

/** The mock has no pages and no sign-in: what does not ask for JSON gets a page that says so (api.md, General rule 1). */
export const missingHeaderFace: Face = {
  instead: (exchange) => exchange.html(200, missingHeader(exchange)),
  // Every endpoint is answered by `instead`: no view is ever rendered as a page.
  view: (exchange) => exchange.html(200, missingHeader(exchange)),
  problem: (exchange, { status, headers, body }) =>
    exchange.html(status, page(String(status), 'error' in body ? body.error : 'The request was refused.'), headers),
};
