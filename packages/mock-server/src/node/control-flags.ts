import { isLoopbackAddress, randomText } from '@mkt/server/extend';
import { type PreparedAddition, type ServeAddition, ServeError } from '@mkt/server/node';
import { testControls } from './test-controls.js';

interface ControlFlags {
  /** By default on for data in memory on an address of this machine only. */
  readonly control?: boolean;
  /** Random by default. */
  readonly controlToken?: string;
}

/** Where others can reach the server. */
const minTokenLength = 16;

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
      ),
  prepare({ db, host, control, controlToken: token = randomText(24) }, seed): PreparedAddition {
    if (!/^[!-~]+$/.test(token))
      throw new ServeError('The control token must consist of ASCII letters, digits and punctuation, without spaces.');
    const isOn = control ?? (db === 'memory:' && isLoopbackAddress(host));
    if (!isOn) return { ready: () => ({ json: { control: null }, rows: [] }) };
    if (token.length < minTokenLength && !isLoopbackAddress(host))
      throw new ServeError(
        `The control token must have at least ${minTokenLength} characters on ${host}, where others can reach the server. ` +
          'Leave it out for a random one.',
      );
    return {
      extend: testControls({ token, seed }),
      ready(url) {
        const controlUrl = `${url}/__mkt/v1`;
        return {
          json: { control: { url: controlUrl, token } },
          rows: [
            ['Control', `${controlUrl} (token ${token})`],
            ['Console', `${url}/__mkt#token=${encodeURIComponent(token)}`],
          ],
        };
      },
    };
  },
};
