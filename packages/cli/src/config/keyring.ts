import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isExecutable } from '../io/installation.js';
import type { KeychainRequest, KeychainResponse } from './keychain-child.js';

/** If the session bus never responds, the library blocks its process forever. */
const LIMIT_MS = 3000;

/** mkt itself answers in the child: see keychain-child.ts. The executable that contains Node needs no file to run. */
const child = [...(isExecutable ? [] : [join(import.meta.dirname, '../bin.cjs')]), '__keychain'];

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

function requireLibrary(): void {
  try {
    createRequire(import.meta.filename).resolve('@napi-rs/keyring');
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

function send(request: KeychainRequest, env: NodeJS.ProcessEnv): Promise<string | null> {
  requireLibrary();
  return new Promise((resolve, reject) => {
    const options = { env, timeout: LIMIT_MS, killSignal: 'SIGKILL', windowsHide: true } as const;
    const { stdin } = execFile(process.execPath, child, options, (error, stdout, stderr) => {
      if (error === null) return resolve((JSON.parse(stdout) as KeychainResponse).value);
      const late = error.killed === true;
      const reason = late
        ? `it did not respond within ${LIMIT_MS / 1000} seconds`
        : (reasonIn(stderr) ?? `its helper ended with ${error.code ?? error.signal}`);
      return reject(new KeyringUnavailable(reason, { late }));
    });
    stdin?.on('error', () => undefined);
    stdin?.end(JSON.stringify(request));
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
