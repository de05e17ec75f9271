// The floor that everything is compared with: node:http and JSON.stringify, nothing else: `raw-server.mjs <port> <bodies>`, where
// the bodies are a file of JSON, by path.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [port, file] = process.argv.slice(2);
const bodies = JSON.parse(readFileSync(file, 'utf8'));

function send(response, status, value) {
  const json = JSON.stringify(value);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json),
  });
  response.end(json);
}

const server = createServer((request, response) => {
  if (request.method !== 'POST') return send(response, 200, bodies[request.url] ?? null);
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    text += chunk;
  });
  return request.on('end', () => send(response, 201, { ...bodies.item, ...JSON.parse(text).campaign }));
});
server.listen(Number(port), '127.0.0.1');
