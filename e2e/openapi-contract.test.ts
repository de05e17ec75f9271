import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { root } from './support/docs/blocks.js';
import { install, shell } from './support/packed.js';
import { type Serving, serving } from './support/serving.js';

// `npm run test:long`: Portman makes requests of docs/openapi.json, valid and invalid ones, sends them to `mkt serve` and
// compares the responses with the document.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 300_000 });
const run = promisify(execFile);

type Fields = Readonly<Record<string, unknown>>;
interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface Content {
  readonly content?: { readonly 'application/json'?: { readonly schema: Schema; example: Record<string, Fields> } };
}
interface Operation {
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name?: string; readonly example?: unknown }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
const document = JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const jsonOf = (given: Content | undefined) => given?.content?.['application/json'];

/** Portman makes a field invalid only if the request's example has it: so it gets those that examples of responses have. */
for (const { tags, requestBody } of operations) {
  const json = jsonOf(requestBody);
  if (!json) continue;
  const shown = operations
    .filter((other) => other.tags[0] === tags[0])
    .flatMap(({ responses }) => Object.entries(jsonOf(responses['200'] ?? responses['201'])?.example ?? {}))
    .filter(([, value]) => value !== null && value.length !== 0);
  for (const [wrapper, given] of Object.entries(json.example)) {
    const schema = json.schema.properties?.[wrapper]?.$ref?.replace(/.*\//, '') ?? '';
    const fields = Object.keys(document.components.schemas[schema]?.properties ?? {});
    json.example[wrapper] = { ...Object.fromEntries(shown.filter(([name]) => fields.includes(name))), ...given };
  }
}

/** What Newman reports of one request. */
interface Execution {
  readonly item: { readonly name: string };
  readonly response?: { readonly code: number };
  readonly assertions?: readonly { readonly assertion: string; readonly error?: { readonly message: string } }[];
}

interface Newman {
  run(
    options: object,
    done: (error: Error | null, summary: { run: { executions: readonly Execution[] } }) => void,
  ): void;
}

let folder: string;
let server: Serving;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mkt-portman-'));
  // Portman needs tslib, and does not say so.
  [server] = await Promise.all([serving(folder, []), install(folder, [], ['@apideck/portman@1.33', 'tslib@2'])]);
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Before each request: the demo data again, and the id that the document has as the example of the operation. */
const prepare = ({ url, token }: NonNullable<Serving['control']>): string => {
  const idOf = ({ parameters = [] }: Operation) => parameters.find(({ name }) => name === 'id')?.example;
  const ids = Object.fromEntries(operations.map((operation) => [operation.summary, idOf(operation)]));
  return `
    pm.variables.set('id', (${JSON.stringify(ids)})[pm.info.requestName.split('[')[0]]);
    const reset = { url: '${url}/reset', method: 'POST', header: { Authorization: 'Bearer ${token}' } };
    pm.sendRequest(reset, (error, response) => pm.test('starts with the demo data', () => pm.expect(response.code).to.equal(204)));`;
};

test('the server responds to generated requests as docs/openapi.json says', async () => {
  const enabled = { enabled: true };
  const isJson = { contentType: enabled, jsonBody: enabled };
  const limits = ['requiredFields', 'minimumNumberFields', 'maximumNumberFields', 'minLengthFields', 'maxLengthFields'];
  const rejected = `pm.test('is rejected', () => pm.expect(pm.response.code).to.be.oneOf([400, 422]));`;
  const settings = {
    version: 1,
    globals: {
      securityOverwrites: { bearer: { token: server.tokens.ada_write } },
      collectionPreRequestScripts: [prepare(server.control as NonNullable<Serving['control']>)],
    },
    tests: {
      contractTests: [
        {
          openApiOperation: '*::/*',
          statusSuccess: enabled,
          ...isJson,
          schemaValidation: enabled,
          headersPresent: enabled,
        },
      ],
      variationTests: [
        {
          openApiOperation: '*::/*',
          variations: [
            {
              name: 'unknown token',
              openApiResponse: '401',
              overwrites: [{ overwriteRequestSecurity: { bearer: { token: 'unknown' } } }],
              tests: {
                contractTests: [{ statusCode: { ...enabled, code: 401 }, ...isJson, schemaValidation: enabled }],
              },
            },
          ],
        },
        ...['POST', 'PATCH'].map((method) => ({
          openApiOperation: `${method}::/*`,
          variations: [
            {
              name: 'invalid',
              openApiResponse: '422',
              fuzzing: [{ requestBody: [Object.fromEntries(limits.map((limit) => [limit, enabled]))] }],
              tests: { contractTests: [isJson], extendTests: [{ tests: [rejected] }] },
            },
          ],
        })),
      ],
    },
  };
  const files = {
    document: join(folder, 'openapi.json'),
    settings: join(folder, 'portman.json'),
    requests: join(folder, 'requests.json'),
  };
  writeFileSync(files.document, JSON.stringify(document));
  writeFileSync(files.settings, JSON.stringify(settings));
  const args = ['--local', files.document, '--baseUrl', server.url, '--portmanConfigFile', files.settings];
  await run(join(folder, 'node_modules/.bin/portman'), [...args, '--output', files.requests], { cwd: folder, shell });
  const newman = createRequire(join(folder, 'package.json'))('newman') as Newman;
  // Actions respond with a redirect to their resource.
  const collection = JSON.parse(readFileSync(files.requests, 'utf8')) as object;
  const { executions } = (await promisify(newman.run)({ collection, ignoreRedirects: false })).run;
  const failed = executions.flatMap(({ item, response, assertions = [] }) =>
    assertions
      .filter(({ error }) => error)
      .map(({ assertion, error }) => `${item.name} (${response?.code}): ${assertion}: ${error?.message}`),
  );
  expect(failed).toEqual([]);
  const names = executions.map(({ item }) => item.name);
  for (const { summary } of operations) {
    expect(names).toContain(summary);
    expect(names).toContain(`${summary}[unknown token]`);
  }
  expect(names.filter((name) => name.includes('[invalid]')).length).toBeGreaterThan(50);
  expect(executions.filter(({ response }) => !response || response.code >= 500)).toEqual([]);
});
