// The floor that everything is compared with: node:http and JSON.stringify, nothing else. Its argument is the bodies, by path.
import { createServer } from 'node:http';

const bodies = JSON.parse(process.argv[2]);

const server = createServer((request, response) => {
  const json = JSON.stringify(bodies[request.url] ?? null);
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(json),
  });
  response.end(json);
});
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}` })));
