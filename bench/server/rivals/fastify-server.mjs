// Fastify with constant data: `fastify-server.mjs <port> <bodies> [etag]`. Its serialiser is built from schemas, the body of a
// write is checked by one, as its documentation recommends; nothing is kept.
import { readFileSync } from 'node:fs';
import etag from '@fastify/etag';
import Fastify from 'fastify';

const [port, file, conditional] = process.argv.slice(2);
const { item, ...bodies } = JSON.parse(readFileSync(file, 'utf8'));

/** The schema of a value as it is; null may be a text too. */
function schemaOf(value) {
  if (value === null) return { type: ['string', 'null'] };
  if (Array.isArray(value)) return { type: 'array', items: schemaOf(value[0] ?? '') };
  if (typeof value === 'object')
    return {
      type: 'object',
      properties: Object.fromEntries(Object.entries(value).map(([name, field]) => [name, schemaOf(field)])),
    };
  return { type: Number.isInteger(value) ? 'integer' : typeof value };
}

const app = Fastify();
if (conditional) await app.register(etag);
for (const [path, body] of Object.entries(bodies))
  app.get(path, { schema: { response: { 200: schemaOf(body) } } }, async () => body);
const wanted = {
  type: 'object',
  required: ['campaign'],
  properties: { campaign: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
};
const [list] = Object.keys(bodies);
app.post(list, { schema: { body: wanted, response: { 201: schemaOf(item) } } }, async (request, reply) => {
  reply.code(201);
  return { ...item, ...request.body.campaign };
});
await app.listen({ port: Number(port), host: '127.0.0.1' });
