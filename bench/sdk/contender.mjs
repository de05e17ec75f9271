// One client in a process of its own, as programs have it: what one client leaves in the heap and the compiler's statistics
// does not weigh on the next. Answers each message with the CPU time of so many calls, in microseconds a call.
import { client } from './clients.mjs';

const [name, baseUrl, warmUp] = process.argv.slice(2);
const { get } = await client(name, baseUrl);
for (let index = 0; index < Number(warmUp); index++) await get();

process.on('message', async (calls) => {
  const start = process.cpuUsage();
  for (let index = 0; index < calls; index++) await get();
  const { user, system } = process.cpuUsage(start);
  process.send((user + system) / calls);
});
process.send('ready');
