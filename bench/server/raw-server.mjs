// The floor that everything is compared with: node:http and JSON.stringify, nothing else.
import { createServer } from 'node:http';
import { report } from './child.mjs';

const bodies = JSON.parse(process.argv[2]);

const server = createServer((request, response) => {
  const json = JSON.stringify(bodies[request.url]);
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json),
  });
  response.end(json);
});
server.listen(0, '127.0.0.1', () =>
  report(`http://127.0.0.1:${server.address().port}`, () => {
    server.close();
    server.closeAllConnections();
  }),
);
