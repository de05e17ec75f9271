import { raw } from 'hono/html';
import { commands } from '../../openapi/commands.generated.js';
import { openApiDocument } from '../../openapi/document.js';
import { anchorOf, type Block, reference } from '../../openapi/reference.js';
import { inPieces } from '../../pieces.js';
import { searchText } from '../../store/store.js';
import { docsScriptPath } from '../assets.js';
import type { PageContext } from '../page-context.js';
import { Page } from './layout.js';

/**
 * The endpoint reference: the same as docs/reference/endpoints.md, with requests to this server next to the text.
 * @param query What the visitor searches for; empty for everything
 */
export async function docsPage(context: PageContext, query: string) {
  built ??= buildReference();
  const { sections, content } = await built;
  const html = query === '' ? content : String(<Results sections={sections} query={query} />);
  return (
    <Page context={context} title="API reference" part={query === '' ? undefined : `search for ${query}`}>
      <div class="docs">
        <nav aria-label="Reference">
          <search>
            <form action="/docs">
              <label for="search">Search the reference</label>
              <input type="search" id="search" name="q" value={query} />
              <button type="submit" class="quiet">
                Search
              </button>
            </form>
          </search>
          <Contents sections={sections} isLinked={query === ''} />
        </nav>
        <div class="reference">{raw(html.replaceAll(anyBase, escapedBase(context.base)))}</div>
      </div>
      <script type="module" src={docsScriptPath} />
    </Page>
  );
}

/** A heading with the blocks below it. */
interface Section {
  readonly heading: Extract<Block, { kind: 'heading' }> | null;
  readonly blocks: readonly Block[];
}

/** In the place of the server's URL, which follows the Host header: to build the reference for each takes long. */
const anyBase = 'https://base.invalid';
const escapedBase = (base: string): string => base.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);

/** All of them together block the event loop for 100 ms when they are made first. */
const sectionsPerTurn = 5;

let built: ReturnType<typeof buildReference> | undefined;

async function buildReference() {
  const document = await openApiDocument({ server: anyBase });
  const sections = sectionsOf(reference({ document, baseUrl: anyBase }));
  const parts = await inPieces(sections, (piece) => String(<Sections sections={piece} />), sectionsPerTurn);
  return { sections, content: [<Introduction />, ...parts].join('') };
}

function sectionsOf(all: readonly Block[]): readonly Section[] {
  const sections: { heading: Section['heading']; blocks: Block[] }[] = [{ heading: null, blocks: [] }];
  for (const block of all) {
    if (block.kind === 'heading') sections.push({ heading: block, blocks: [] });
    else sections.at(-1)?.blocks.push(block);
  }
  return sections;
}

const Contents = ({ sections, isLinked }: { sections: readonly Section[]; isLinked: boolean }) => (
  <ul>
    {sections.map(
      ({ heading }) =>
        heading && (
          <li class={heading.level === 2 ? 'part' : undefined}>
            <a href={`${isLinked ? '' : '/docs'}#${anchorOf(heading.text)}`}>{heading.text}</a>
          </li>
        ),
    )}
  </ul>
);

function textOf(block: Block): string {
  if (block.kind === 'list') return block.items.join(' ');
  return block.kind === 'table' ? block.rows.flat().join(' ') : block.text;
}

/** The sections with all words, those with all of them in the heading first. */
function Results({ sections, query }: { sections: readonly Section[]; query: string }) {
  const words = searchText(query).split(' ');
  const found = sections.flatMap(({ heading, blocks }) => {
    if (!heading) return [];
    const [title, text] = [heading.text, [heading.text, ...blocks.map(textOf)].join(' ')].map(searchText);
    const has = (place = '') => words.every((word) => place.includes(word) || place.includes(word.replace(/s$/, '')));
    const about = blocks.find((block) => block.kind === 'paragraph' && !block.text.startsWith('`'));
    return has(text) ? [{ heading, about, rank: Number(has(title)) }] : [];
  });
  const count = found.length === 1 ? '1 result' : `${found.length} results`;
  return (
    <>
      <p role="status">
        {count} for <b>{query}</b>. <a href="/docs">Show the whole reference</a>
      </p>
      <ul class="results">
        {found
          .toSorted((left, right) => right.rank - left.rank)
          .map(({ heading, about }) => (
            <li>
              <a href={`/docs#${anchorOf(heading.text)}`}>{heading.text}</a>
              {about && (
                <p>
                  <Text text={textOf(about).replace(/\[([^\]]+)\]\([^)]+\)/g, '$1')} />
                </p>
              )}
            </li>
          ))}
      </ul>
    </>
  );
}

const Introduction = () => (
  <p>
    The requests need a token: <code>export MKT_TOKEN=...</code>. The TypeScript lines are calls of{' '}
    <code>@mkt/sdk</code>. As data: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).
  </p>
);

const Sections = ({ sections }: { sections: readonly Section[] }) => (
  <>
    {sections.map((section) => (
      <SectionElement {...section} />
    ))}
  </>
);

/** The text at the left; request and response at the right. */
const SectionElement = ({ heading, blocks }: Section) => {
  const codes = blocks.filter((block) => block.kind === 'code');
  const { operation } = heading ?? {};
  const texts = blocks.map((block) => block.kind !== 'code' && <BlockElement block={block} />);
  if (operation === undefined)
    return (
      <section>
        {heading && <Heading {...heading} />}
        {blocks.map((block) => (
          <BlockElement block={block} />
        ))}
      </section>
    );
  const [curl, call, ...responses] = codes.map(({ text }) => text);
  const requests = [
    ['curl', curl],
    ['mkt', commands[operation]],
    ['SDK', call],
  ] as const;
  const name = `tab-${anchorOf(heading?.text ?? '')}`;
  return (
    <section class="sided">
      {heading && <Heading {...heading} />}
      <div>{texts}</div>
      <div class="codes">
        <fieldset>
          <legend>Request with</legend>
          {requests.map(([tab], place) => (
            <>
              <input type="radio" name={name} id={`${name}-${tab}`} value={tab} checked={place === 0} />
              <label for={`${name}-${tab}`}>{tab}</label>
            </>
          ))}
          {requests.map(([, text = '']) => (
            <Code text={text} />
          ))}
        </fieldset>
        {responses.map((text) => (
          <>
            <p class="hint">Response</p>
            <Code text={text} />
          </>
        ))}
      </div>
    </section>
  );
};

const Code = ({ text }: { text: string }) => (
  <pre>
    <code>{text}</code>
  </pre>
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
      return <Code text={block.text} />;
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
