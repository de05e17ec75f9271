import type { Exchange, HtmlRenderer } from '@mkt/server';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const page = (title: string, sentence: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${escaped(title)}</title></head>
<body><h1>${escaped(title)}</h1><p>${escaped(sentence)}</p></body>
</html>`;

const missingHeaderPage = (exchange: Exchange): string =>
  page(
    'This is a page, not JSON',
    `${exchange.method} ${exchange.url.pathname} was sent without the header Accept: application/json, so the response is a page, as from the real service. Send that header with every request. Nothing was changed.`,
  );

/** The mock has no pages: requests that do not accept JSON get a page that explains it. */
export const htmlRenderer: HtmlRenderer = {
  respond: (exchange) => exchange.html(200, missingHeaderPage(exchange)),
  problem: (exchange, { status, headers, error }) =>
    exchange.html(
      status,
      page(String(status), typeof error === 'string' ? error : 'The request was rejected.'),
      headers,
    ),
};
