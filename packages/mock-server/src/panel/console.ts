import { connectControl } from '../connect-control.js';
import { el, form } from './dom.js';
import { mountPanel } from './index.js';

// The script of the server's console, at /__mkt: the panel over the control API of the same server.
const place = document.querySelector('#console') as HTMLElement;
const key = 'mkt-control-token';

/** The server prints a URL with the token in its fragment, which is neither sent nor logged. It does not stay in the URL. */
const [, given] = /^#token=(.+)$/.exec(location.hash) ?? [];
if (given !== undefined) {
  sessionStorage.setItem(key, decodeURIComponent(given));
  history.replaceState(null, '', location.pathname);
}

async function open(token: string): Promise<void> {
  const control = connectControl({ url: `${location.origin}/__mkt/v1`, token });
  await control.clock.read();
  sessionStorage.setItem(key, token);
  place.replaceChildren();
  mountPanel(control, { target: place });
}

function askForToken(error?: string): void {
  sessionStorage.removeItem(key);
  const ask = form(
    'Control token',
    'Open the console',
    [{ name: 'token', label: 'The server printed it at startup' }],
    ({ token = '' }) => void open(token).catch((error: Error) => askForToken(error.message)),
  );
  place.replaceChildren(ask, el('p', { role: 'alert', class: 'error' }, error ?? ''));
  ask.querySelector('input')?.focus();
}

const token = sessionStorage.getItem(key);
if (token === null) askForToken();
else void open(token).catch((error: Error) => askForToken(error.message));
