import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

export interface KeychainRequest {
  readonly action: 'get' | 'set' | 'delete';
  readonly account: string;
  readonly secret?: string;
}

export interface KeychainResponse {
  /** The secret of a `get`; null if there is none. */
  readonly value: string | null;
}

type Library = typeof import('@napi-rs/keyring');

/**
 * What `mkt __keychain` runs: answers one request to the keychain, in a process that can be killed. The secret goes through stdin and stdout, never
 * through argv. On Linux the store is pinned: the library's own fallback is the kernel's keyring, which is empty after a
 * restart.
 */
async function answer(): Promise<void> {
  const { action, account, secret = '' } = JSON.parse(await text(process.stdin)) as KeychainRequest;
  const { Entry } = createRequire(__filename)('@napi-rs/keyring') as Library;
  const entry = new Entry(
    'mkt',
    account,
    process.platform === 'linux' ? { linux: { store: 'secret-service' } } : undefined,
  );
  if (action === 'set') entry.setPassword(secret);
  if (action === 'delete') entry.deletePassword();
  const response: KeychainResponse = { value: action === 'get' ? entry.getPassword() : null };
  process.stdout.write(JSON.stringify(response));
}

void answer();
