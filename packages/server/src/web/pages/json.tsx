import type { View } from '../../http/view.js';
import type { PageContext } from '../page-context.js';
import { pageOf } from '../paths.js';
import { Page } from './layout.js';

/** Shows the JSON response of the same URL, because a link cannot send an Accept header. */
export function jsonPage(context: PageContext, title: string, view: View) {
  const path = pageOf(view.endpoint, context.parameters);
  const parameters = new URLSearchParams(context.path.split('?', 2)[1]);
  parameters.delete('as');
  const query = parameters.size > 0 ? `?${parameters}` : '';
  return (
    <Page
      context={context}
      title={`${title} as JSON`}
      crumbs={[{ label: 'Back to the page', href: path + query }]}
      json={`${path}.json${query}`}
    >
      <pre>
        <code>
          {[
            `HTTP/1.1 ${view.status}`,
            'Content-Type: application/json; charset=utf-8',
            ...Object.entries(view.headers).map(([name, value]) => `${name}: ${value}`),
            '',
            JSON.stringify(view.body, null, 2),
          ].join('\n')}
        </code>
      </pre>
    </Page>
  );
}
