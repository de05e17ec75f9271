import { isLoopbackAddress, randomText } from '@mkt/server/extend';
import { type PreparedAddition, type ServeAddition, ServeError } from '@mkt/server/node';
import { testControls } from './test-controls.js';

interface ControlFlags {
  /** By default on for data in memory on an address of this machine only. */
  readonly control?: boolean;
  /** Random by default. */
  readonly controlToken?: string;
  readonly simulate?: boolean;
  readonly speed?: number;
  readonly strict?: boolean;
}

/** Where others can reach the server. */
const minTokenLength = 16;

/** @throws {ServeError} */
function parseSpeed(text: string): number {
  const speed = /^\d{1,7}$/.test(text) ? Number(text) : 0;
  if (speed < 1 || speed > 1_000_000) throw new ServeError('--speed must be a whole number from 1 to 1000000.');
  return speed;
}

const simulationText = (speed: number): string =>
  `active campaigns earn views${speed > 1 ? `, the clock runs ${speed} times as fast` : ''}`;

/** What `mkt serve` adds to the server: the test controls and their flags. */
export const controlAddition: ServeAddition<ControlFlags> = {
  addFlags: (command) =>
    command
      .option('--control', 'Enable the control API (default for data in memory, not for stored data)')
      .option('--no-control', 'Disable the control API')
      .addOption(
        command
          .createOption('--control-token <token>', 'Token of the control API; random by default')
          .env('MKT_SERVE_CONTROL_TOKEN'),
      )
      .option('--simulate', 'Let active campaigns earn views and spend their budget as time passes')
      .addOption(
        command
          .createOption('--speed <number>', 'With --simulate: how many times as fast the clock runs (1)')
          .argParser(parseSpeed),
      )
      .option('--strict', 'Print mistakes in requests that the API does not report, such as unknown fields'),
  prepare({ db, host, control, controlToken: token = randomText(24), ...flags }, seed): PreparedAddition {
    const { strict } = flags;
    if (flags.speed !== undefined && !flags.simulate) throw new ServeError('--speed needs --simulate.');
    const simulate = flags.simulate ? { speed: flags.speed ?? 1 } : undefined;
    if (!/^[!-~]+$/.test(token))
      throw new ServeError('The control token must consist of ASCII letters, digits and punctuation, without spaces.');
    const isOn = control ?? (db === 'memory:' && isLoopbackAddress(host));
    const simulated: [string, string][] = simulate ? [['Simulation', simulationText(simulate.speed)]] : [];
    if (!isOn)
      return {
        ...((simulate || strict) && { extend: testControls({ token: null, seed, simulate, strict }) }),
        ready: () => ({ json: { control: null }, rows: simulated }),
      };
    if (token.length < minTokenLength && !isLoopbackAddress(host))
      throw new ServeError(
        `The control token must have at least ${minTokenLength} characters on ${host}, where others can reach the server. ` +
          'Leave it out for a random one.',
      );
    return {
      extend: testControls({ token, seed, simulate, strict }),
      ready(url) {
        const controlUrl = `${url}/__mkt/v1`;
        return {
          json: { control: { url: controlUrl, token } },
          rows: [
            ['Control', `${controlUrl} (token ${token})`],
            ['Console', `${url}/__mkt#token=${encodeURIComponent(token)}`],
            ...simulated,
          ],
        };
      },
    };
  },
};
