import { html } from 'hono/html';
import type { OpenApiDocument } from './document.js';
import type { Operation, Parameter } from './operations.js';
import type { JsonSchema } from './schemas.js';

type Html = ReturnType<typeof html>;

/** The paragraphs and code of a description as HTML. */
const prose = (text: string): Html[] => text.split('\n\n').map((paragraph) => html`<p>${inline(paragraph)}</p>`);
const inline = (text: string): (Html | string)[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part));

const refName = (schema: unknown): string | undefined =>
  (schema as { $ref?: string } | undefined)?.$ref?.replace(/^.*\//, '');

function typeOf(schema: JsonSchema): Html | string {
  const name = refName(schema);
  if (name !== undefined) return html`<a href="#${name}">${name}</a>`;
  if (schema.enum) return (schema.enum as string[]).join(' | ');
  if (schema.type === 'array') return html`list of ${typeOf(schema.items as JsonSchema)}`;
  const types = typeof schema.type === 'string' ? schema.type : (schema.type ?? ['any']).join(' or ');
  return schema.format === undefined ? types : `${types} (${schema.format})`;
}

const table = (columns: readonly string[], rows: readonly (readonly (Html | string | (Html | string)[])[])[]) => html`
  <table>
    <tr>${columns.map((column) => html`<th>${column}</th>`)}</tr>
    ${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}
  </table>`;

const fields = ({ properties = {}, required = [] }: JsonSchema): Html =>
  table(
    ['Field', 'Type', ''],
    Object.entries(properties).map(([name, schema]) => [
      html`<code>${name}</code>${required.includes(name) ? '' : html` <small>optional</small>`}`,
      typeOf(schema),
      inline(schema.description ?? ''),
    ]),
  );

const parameterTable = (parameters: readonly Parameter[]): Html =>
  table(
    ['Parameter', 'In', 'Type', ''],
    parameters.map(({ name, in: place, schema, description }) => [
      html`<code>${name}</code>`,
      place,
      typeOf(schema),
      inline(description),
    ]),
  );

function curl(server: string, method: string, path: string, { requestBody }: Operation): string {
  const [wrapper] = Object.keys(requestBody?.content['application/json']?.schema.properties ?? {});
  return [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} '${server}${path}' \\`,
    `  -H 'Accept: application/json' -H 'Authorization: Bearer <ACCESS_TOKEN>'${wrapper === undefined ? '' : ' \\'}`,
    ...(wrapper === undefined ? [] : [`  -H 'Content-Type: application/json' -d '{"${wrapper}": {...}}'`]),
  ].join('\n');
}

/** Status and schema of the successful response. */
function successOf({ responses }: Operation): Html | string {
  const [[status, response] = ['', {}]] = Object.entries(responses);
  const { content } = response as { content?: Readonly<Record<string, { readonly schema: JsonSchema }>> };
  const schema = content?.['application/json']?.schema;
  return schema ? html`${status}: ${typeOf(schema)}` : status;
}

function operationSection(document: OpenApiDocument, path: string, method: string, operation: Operation): Html {
  const { parameters: shared } = document.components;
  const parameters = (operation.parameters ?? []).flatMap((parameter) =>
    'name' in parameter ? [parameter] : (shared[refName(parameter) ?? ''] ?? []),
  );
  const body = operation.requestBody?.content['application/json']?.schema;
  const [, ...others] = Object.keys(operation.responses);
  return html`
    <section id="${operation.operationId}">
      <h3>${operation.summary}</h3>
      <p><code class="${method}">${method.toUpperCase()} ${path}</code></p>
      ${prose(operation.description)}
      ${parameters.length > 0 ? parameterTable(parameters) : ''}
      ${body ? fields(body) : ''}
      <p>Answers ${successOf(operation)}. Otherwise ${others.join(', ')}.</p>
      <pre>${curl(document.servers[0]?.url ?? '', method, path, operation)}</pre>
    </section>`;
}

/**
 * The API reference as one page without scripts and external files. Its URLs are relative, so that they work below the
 * path of any proxy (D86).
 */
export function docsPage(document: OpenApiDocument): string {
  const { info, tags, paths, components } = document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const ofTag = (tag: string) => operations.filter(({ operation }) => operation.tags.includes(tag));
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title}</title><link rel="stylesheet" href="docs/style.css">
</head>
<body>
<nav>
  ${tags.map(
    ({ name }) =>
      html`<h2>${name}</h2><ul>${ofTag(name).map(
        ({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
      )}</ul>`,
  )}
  <h2>Schemas</h2><ul>${Object.keys(components.schemas).map((name) => html`<li><a href="#${name}">${name}</a></li>`)}</ul>
</nav>
<main>
  <h1>${info.title}</h1>
  ${prose(info.description)}
  <p>For programs: <a href="openapi.json">openapi.json</a> (OpenAPI 3.1).</p>
  ${tags.map(
    ({ name, description }) =>
      html`<h2>${name}</h2>${prose(description)}${ofTag(name).map(({ path, method, operation }) =>
        operationSection(document, path, method, operation),
      )}`,
  )}
  <h2>Schemas</h2>
  ${Object.entries(components.schemas).map(
    ([name, schema]) =>
      html`<section id="${name}"><h3>${name}</h3>${prose(schema.description ?? '')}${fields(schema)}</section>`,
  )}
</main>
</body>
</html>`);
}

/** A separate style sheet, because the page's policy forbids inline styles. */
export const docsStyle = `:root { color-scheme: light dark; --line: color-mix(in srgb, currentcolor 18%, transparent) }
body { margin: 0; display: flex; font: 15px/1.55 system-ui, sans-serif }
nav { flex: 0 0 15rem; height: 100vh; position: sticky; top: 0; overflow: auto; padding: 1rem; box-sizing: border-box;
  border-right: 1px solid var(--line) }
nav h2 { font-size: .8rem; margin: 1rem 0 .2rem; text-transform: uppercase; letter-spacing: .05em }
nav ul { list-style: none; margin: 0; padding: 0 }
nav a { text-decoration: none }
main { flex: 1; min-width: 0; max-width: 60rem; padding: 1rem 2rem 4rem }
section { margin: 1rem 0 2.5rem; scroll-margin-top: 1rem }
table { border-collapse: collapse; width: 100%; margin: .8rem 0 }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line) }
code, pre { font: 13px/1.5 ui-monospace, monospace }
pre { overflow: auto; padding: .7rem; border: 1px solid var(--line); border-radius: 4px }
@media (max-width: 50rem) { body { display: block } nav { position: static; height: auto; border: 0 } }
`;
