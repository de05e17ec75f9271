import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

/** A session bus that never answers blocks the library for ever, and nothing in the same process can stop it. */
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

/** The keychain of this computer cannot be used; the message says why, in a few words. */
export class KeyringUnavailable extends Error {
  override readonly name = 'KeyringUnavailable';
  /** Whether there is one that never answered. */
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

/** The library's own words are for its developers: on a server there simply is no keychain. */
const reasonIn = (complaint: string): string | undefined => {
  const reason = /Error: (.+)/.exec(complaint)?.[1];
  if (reason === undefined) return undefined;
  if (/dbus|d-bus|no result found/i.test(reason)) return 'none is running here';
  return /\b(un)?lock/i.test(reason) ? 'it is locked' : reason;
};

interface Request {
  readonly action: 'get' | 'set' | 'delete';
  readonly account: string;
  readonly secret?: string;
}

function ask(request: Request, env: NodeJS.ProcessEnv): Promise<string | null> {
  const library = libraryPath();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', CHILD], { stdio: ['pipe', 'pipe', 'pipe'], env, windowsHide: true });
    let answer = '';
    let complaint = '';
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      child.kill('SIGKILL');
    }, LIMIT_MS);
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      answer += part;
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      complaint += part;
    });
    const fail = (message: string) => reject(new KeyringUnavailable(message, { late }));
    child.on('error', (error) => {
      clearTimeout(timer);
      fail(error.message);
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      if (late) return fail(`it did not answer within ${LIMIT_MS / 1000} seconds`);
      if (code !== 0) return fail(reasonIn(complaint) ?? `its helper ended with code ${code}`);
      return resolve((JSON.parse(answer) as { value: string | null }).value);
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(JSON.stringify({ library, service: SERVICE, ...request }));
  });
}

/** The keychain of the operating system, asked in a child process that has 3 seconds. */
export class Keyring {
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = { ...env, NODE_OPTIONS: '' };
    // The child needs nothing of these.
    delete this.#env.MKT_TOKEN;
  }

  get(account: string): Promise<string | null> {
    return ask({ action: 'get', account }, this.#env);
  }

  async set(account: string, secret: string): Promise<void> {
    await ask({ action: 'set', account, secret }, this.#env);
  }

  async delete(account: string): Promise<void> {
    await ask({ action: 'delete', account }, this.#env);
  }
}
