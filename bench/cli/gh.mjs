// `mkt` compared with `gh`, which is compiled Go, and a list compared with `curl`, which only fetches. Absent programs are left out.
import { programVersion } from '../lib/machine.mjs';
import { node, startTimes } from './starts.mjs';
import { world } from './world.mjs';

export const title = 'Compared with gh and curl';
export const sizes = { rounds: 7, starts: 5 };
export const quickSizes = { rounds: 1, starts: 1 };

export async function run(amounts) {
  const place = await world();
  const headers = ['-H', 'Accept: application/json', '-H', `Authorization: Bearer ${place.token}`];
  const programs = {
    'mkt --version': node(place.bin, '--version'),
    'mkt --help': node(place.bin, '--help'),
    'mkt campaigns list --json': node(place.bin, 'campaigns', 'list', '--json'),
    ...(programVersion('gh') && { 'gh --version': ['gh', '--version'], 'gh --help': ['gh', '--help'] }),
    ...(programVersion('curl') && {
      'curl of the same list': ['curl', '-sf', ...headers, `${place.url}/organizations/5/campaigns.json`],
    }),
  };
  const times = await startTimes(programs, { ...amounts, env: place.env }).finally(place.close);
  return {
    about: `gh is a compiled program that starts no runtime; it only connects to https hosts, so its requests are not compared. curl fetches the same list from the
same local server and reads nothing of it: what the network part takes at least.`,
    columns: ['command', 'ms', 'times node -e 0', 'processor time, times node -e 0'],
    rows: times.map(({ name, wall, ofFloor, cpuOfFloor }) => ({ cells: [name, wall, ofFloor, cpuOfFloor] })),
  };
}
