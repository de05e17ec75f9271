import type { Exchange } from '@mkt/server';
import { pathIn } from '@mkt/server/extend';
import type { ExtraPage } from '@mkt/server/node';
import type { ControlHooks } from '../control/hooks.js';
import consoleScript from '../panel/console.ts?bundle';
import { checkLocal } from './guard.js';

const scriptPath = `/assets/console-${consoleScript.version}.js`;

/** Only this page has a script. It calls the control API of this server, with the token that the visitor gives it. */
const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The operator's console: the panel over the control API of the same server. The page itself contains no data. */
export const consolePage: ExtraPage = {
  path: '/__mkt',
  title: 'Console',
  content:
    '<div id="console"><noscript>The console needs JavaScript. The control API does the same.</noscript></div>' +
    `<script type="module" src="${scriptPath}"></script>`,
  headers: { 'Content-Security-Policy': policy },
  assets: [{ path: scriptPath, type: 'text/javascript; charset=utf-8', text: consoleScript.text }],
  check: checkLocal,
};

const isConsole = ({ request }: Exchange): boolean => /^\/(__mkt|assets)(\/|$)/.test(pathIn(request.url));

/** The hooks without requests of the console, which faults and the request log ignore. */
export const exceptConsole = ({ clock, beforeRequest, afterResponse }: ControlHooks): ControlHooks => ({
  clock,
  beforeRequest: (exchange) => (isConsole(exchange) ? null : beforeRequest(exchange)),
  afterResponse(exchange, ...rest) {
    if (!isConsole(exchange)) afterResponse(exchange, ...rest);
  },
});
