import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';

/** If the session bus never responds, the library blocks its process forever. */
const LIMIT_MS = 3000;
const SERVICE = 'mkt';

/**
 * Runs in a child that can be killed. The secret goes through stdin and stdout, never through argv. On Linux the store
 * is pinned: the library's own fallback is the kernel's keyring, which is empty after a restart.
 */
const CHILD = `
let text = '';
process.stdin.setEncoding('utf8').on('data', (part) => (text += part)).on('end', () => {
  const { library, action, service, account, secret } = JSON.parse(text);
  const { Entry } = require(library);
  const options = process.platform === 'linux' ? { linux: { store: 'secret-service' } } : undefined;
  const entry = new Entry(service, account, options);
  let value = null;
  if (action === 'set') entry.setPassword(secret);
  if (action === 'get') value = entry.getPassword();
  if (action === 'delete') entry.deletePassword();
  process.stdout.write(JSON.stringify({ value }));
});
`;

/** The keychain of this computer cannot be used; the message gives the reason in a few words. */
export class KeyringUnavailable extends Error {
  override readonly name = 'KeyringUnavailable';
  /** Whether there is one that did not respond. */
  readonly late: boolean;

  constructor(message: string, options: ErrorOptions & { readonly late?: boolean } = {}) {
    super(message, options);
    this.late = options.late === true;
  }
}

function libraryPath(): string {
  try {
    return createRequire(import.meta.url).resolve('@napi-rs/keyring');
  } catch (cause) {
    throw new KeyringUnavailable('its library is not installed', { cause });
  }
}

/** Replaces messages of the library that users would not understand: servers usually have no keychain. */
const reasonIn = (message: string): string | undefined => {
  const reason = /Error: (.+)/.exec(message)?.[1];
  if (reason === undefined) return undefined;
  if (/dbus|d-bus|no result found/i.test(reason)) return 'none is running here';
  return /\b(un)?lock/i.test(reason) ? 'it is locked' : reason;
};

type Request = { readonly action: 'get' | 'set' | 'delete'; readonly account: string; readonly secret?: string };

function send(request: Request, env: NodeJS.ProcessEnv): Promise<string | null> {
  const library = libraryPath();
  return new Promise((resolve, reject) => {
    const options = { env, timeout: LIMIT_MS, killSignal: 'SIGKILL', windowsHide: true } as const;
    const child = execFile(process.execPath, ['-e', CHILD], options, (error, stdout, stderr) => {
      if (error === null) return resolve((JSON.parse(stdout) as { value: string | null }).value);
      const late = error.killed === true;
      const reason = late
        ? `it did not respond within ${LIMIT_MS / 1000} seconds`
        : (reasonIn(stderr) ?? `its helper ended with ${error.code ?? error.signal}`);
      return reject(new KeyringUnavailable(reason, { late }));
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(JSON.stringify({ library, service: SERVICE, ...request }));
  });
}

/** The keychain of the operating system, used in a child process with a limit of 3 seconds. */
export class Keyring {
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = { ...env, NODE_OPTIONS: '' };
    // The child does not need it.
    delete this.#env.MKT_TOKEN;
  }

  get(account: string): Promise<string | null> {
    return send({ action: 'get', account }, this.#env);
  }

  async set(account: string, secret: string): Promise<void> {
    await send({ action: 'set', account, secret }, this.#env);
  }

  async delete(account: string): Promise<void> {
    await send({ action: 'delete', account }, this.#env);
  }
}
