import { type Dump, type Exchange, memoryStore, type Store } from '@mkt/server';
import { pathIn } from '@mkt/server/extend';
import type { AppChanges, ExtraPage, Served, ServerParts } from '@mkt/server/node';
import { createControl } from '../control/control.js';
import type { ControlEvent } from '../control/events.js';
import type { ControlHooks } from '../control/hooks.js';
import type { SimulateOptions } from '../control/inputs.js';
import consoleScript from '../panel/console.ts?bundle';
import { checkLocal, controlGuard } from './guard.js';
import { type Namespace, Namespaces } from './namespaces.js';
import { withControl } from './serve-control.js';

export interface TestControlsOptions {
  /** The bearer token of callers. Null leaves out the control API and its console. */
  readonly token: string | null;
  /** The data that `reset` restores. */
  readonly seed: () => Dump | Promise<Dump>;
  /** Lets active campaigns earn views and spend their budget, as the control method of this name. */
  readonly simulate?: SimulateOptions | undefined;
  /** Prints and lists mistakes in requests, as the option of mocks. @default false */
  readonly strict?: boolean | undefined;
}

/** Prints the mistakes that the option `strict` found. */
const printMistakes = (event: ControlEvent): void => {
  if (event.kind !== 'request' || event.request.mistakes.length === 0) return;
  const { method, path, status, unexpected } = event.request;
  console.error(`[strict] ${method} ${path} -> ${status}: ${unexpected}`);
};

/**
 * The test controls of a server, for the option `extend` of `serve` from `@mkt/server/node`: the control API at `/__mkt/v1` and
 * its console at `/__mkt`. They can change all data: for tests and development only.
 * @example
 * await serve({ store: memoryStore(), seed: demoSeed(), extend: testControls({ token, seed: demoSeed }) });
 */
export const testControls =
  ({ token, seed, simulate, strict }: TestControlsOptions) =>
  (server: ServerParts): Served => {
    const { sha256, afterResponse, onError } = server;
    /** An app with controls of its own. */
    const controlled = (store: Store, changes: (hooks: ControlHooks) => AppChanges) => {
      const { control, hooks, subscribe } = createControl({
        store,
        seed,
        simulate,
        strict: strict ? { allow: [] } : undefined,
        pages: true,
        sha256,
        forget: () => app.forget(),
      });
      if (strict) subscribe(printMistakes);
      const app = server.createApp(changes(hooks));
      return { fetch: app.fetch, control };
    };
    if (token === null) return { fetch: controlled(server.store, (hooks) => hooks).fetch };

    const shared = { guard: controlGuard(token, sha256), afterResponse, onError };
    const createNamespace = async (baseUrl: string): Promise<Namespace> => {
      const store = memoryStore(server.store.ids, await seed());
      const { fetch, control } = controlled(store, (hooks) => ({ ...hooks, store, baseUrl }));
      return { control, fetch: withControl(fetch, { ...shared, control }) };
    };

    const { fetch, control } = controlled(server.store, (hooks) => ({
      ...exceptConsole(hooks),
      extraPages: [consolePage],
    }));
    const isPersistent = 'backup' in server.store;
    const namespaces = isPersistent ? undefined : new Namespaces(createNamespace);
    return {
      fetch: withControl(fetch, { ...shared, control, namespaces, baseUrl: server.baseUrl, audit: server.audit }),
    };
  };

const scriptPath = `/assets/console-${consoleScript.version}.js`;

/** Only this page has a script. It calls the control API of this server, with the token that the visitor gives it. */
const policy =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The operator's console: the panel over the control API of the same server. The page itself contains no data. */
const consolePage: ExtraPage = {
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
const exceptConsole = ({ clock, beforeRequest, afterResponse }: ControlHooks): ControlHooks => ({
  clock,
  beforeRequest: (exchange) => (isConsole(exchange) ? null : beforeRequest(exchange)),
  afterResponse(exchange, ...rest) {
    if (!isConsole(exchange)) afterResponse(exchange, ...rest);
  },
});
