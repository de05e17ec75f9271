// The API as an OpenAPI document, from the contract: the same one that the server answers at /openapi.json.
import { build } from 'esbuild';

export const output = 'docs/openapi.json';

export async function generate() {
  const { outputFiles } = await build({
    entryPoints: ['packages/server/src/openapi/document.ts'],
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'error',
    conditions: ['mkt-source'],
  });
  const source = Buffer.from(outputFiles[0].contents).toString('base64');
  const { openApiDocument } = await import(`data:text/javascript;base64,${source}`);
  return JSON.stringify(openApiDocument({ server: 'http://127.0.0.1:4010' }), null, 2);
}
