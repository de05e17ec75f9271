import { raw } from 'hono/html';
import { openApiDocument } from '../../openapi/document.js';
import { anchorOf, type Block, reference } from '../../openapi/reference.js';
import type { PageContext } from '../page-context.js';
import { Page } from './layout.js';

/** The endpoint reference: the same as docs/reference/endpoints.md, with requests to this server. */
export const docsPage = (context: PageContext) => (
  <Page context={context} title="API reference">
    <div class="reference">{raw(contentAt(context.base))}</div>
  </Page>
);

let rendered = { base: '', content: '' };

/** It is the same for all visitors, and takes long to build. */
function contentAt(base: string): string {
  if (rendered.base !== base) {
    const blocks = reference({ document: openApiDocument({ server: base }), baseUrl: base });
    rendered = { base, content: String(<Reference blocks={blocks} />) };
  }
  return rendered.content;
}

const Reference = ({ blocks }: { blocks: readonly Block[] }) => (
  <>
    <p>
      The requests need a token: <code>export MKT_TOKEN=...</code>. The TypeScript lines are calls of{' '}
      <code>@mkt/sdk</code>. As data: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).
    </p>
    {blocks.map((block) => (
      <BlockElement block={block} />
    ))}
  </>
);

const BlockElement = ({ block }: { block: Block }) => {
  switch (block.kind) {
    case 'heading':
      return <Heading {...block} />;
    case 'paragraph':
      return (
        <p>
          <Text text={block.text} />
        </p>
      );
    case 'list':
      return (
        <ul>
          {block.items.map((item) => (
            <li>
              <Text text={item} />
            </li>
          ))}
        </ul>
      );
    case 'table':
      return <Table {...block} />;
    case 'code':
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      );
  }
};

const Heading = ({ level, text }: { level: 2 | 3; text: string }) => {
  const Tag = `h${level}` as const;
  return (
    <Tag id={anchorOf(text)}>
      <a href={`#${anchorOf(text)}`}>{text}</a>
    </Tag>
  );
};

const Table = ({ head, rows }: { head: readonly string[]; rows: readonly (readonly string[])[] }) => (
  <table>
    {head.some((title) => title !== '') && (
      <thead>
        <tr>
          {head.map((title) => (
            <th scope="col">{title}</th>
          ))}
        </tr>
      </thead>
    )}
    <tbody>
      {rows.map(([first = '', ...others]) => (
        <tr>
          <th scope="row">
            <Text text={first} />
          </th>
          {others.map((cell) => (
            <td>
              <Text text={cell} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

/** A text with `code` and [links](#anchor). */
const Text = ({ text }: { text: string }) => (
  <>
    {text.split(/(`[^`]+`|\[[^\]]+\]\([^)]+\))/).map((part) => {
      const [, title, target] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? [];
      if (target !== undefined) return <a href={target}>{title}</a>;
      return part.length > 1 && part.startsWith('`') ? <code>{part.slice(1, -1)}</code> : part;
    })}
  </>
);
