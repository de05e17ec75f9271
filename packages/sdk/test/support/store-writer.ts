// A process that writes and reads a shared file store as fast as it can; a torn or mixed entry ends it with an error.
import { FileStore } from '@mkt/sdk/node';

const [folder = '', name, rounds] = process.argv.slice(2);
const store = new FileStore({ folder, size: 5 });
for (let round = 0; round < Number(rounds); round += 1) {
  const body = `${name}${round} `.repeat(2000);
  await store.set(`key ${round % 7}`, { etag: body.slice(0, 20), body });
  const entry = await store.get(`key ${(round * 3) % 7}`);
  if (!entry) continue;
  const [first] = entry.body.split(' ');
  if (entry.body !== `${first} `.repeat(2000) || entry.etag !== entry.body.slice(0, 20))
    throw new Error('A torn entry.');
}
