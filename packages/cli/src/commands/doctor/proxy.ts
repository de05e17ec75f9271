import { isProxyAddress, type Route } from '../../api/http/proxy-of.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { type Check, fail, ok } from './check.js';
import { hostIn, type Limits, reach, reasonOf, took } from './reach.js';

/** The address of a proxy without the name and password in it. */
function shown(address: string): string {
  const { protocol, username, host } = new URL(address);
  return `${protocol}//${username === '' ? '' : '***@'}${host}`;
}

/** The proxy that requests to the service go through, or why they go through none. */
export async function proxyCheck(route: Route, service: string, limits: Limits): Promise<Check> {
  const check = 'proxy';
  if (route.by === 'itself') return ok(check, route.reason ?? 'none is set');
  const { variable, address } = route.proxy;
  if (!isProxyAddress(address)) {
    return fail(
      check,
      exitCodes.usage,
      `${variable} is not the address of a proxy.`,
      `export ${variable}=http://proxy.example.com:8080`,
    );
  }
  const began = performance.now();
  try {
    (await reach(hostIn(address), limits)).destroy();
    return ok(check, `${shown(address)} (from ${variable}), reached in ${took(began)}`);
  } catch (error) {
    return fail(
      check,
      exitCodes.network,
      `The proxy ${shown(address)} (from ${variable}) does not answer (${reasonOf(error)}).`,
      `Ask whoever runs your network for its address, or do without: unset ${variable}`,
      `For this service alone: export NO_PROXY=${hostIn(service).name}`,
    );
  }
}
