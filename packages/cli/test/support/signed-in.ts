import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './run-cli.js';

/** A folder with the settings of a user signed in to `url`, the token in a file: what `mkt login --storage file` leaves. */
export function signedInFolder(url: string, token: string, storage: 'file' | 'keyring' = 'file'): string {
  const folder = temporaryFolder();
  const config = join(folder, 'config');
  mkdirSync(config, { mode: 0o700 });
  const write = (name: string, value: object) =>
    writeFileSync(join(config, name), JSON.stringify(value), { mode: 0o600 });
  const profile = { base_url: url, storage, token_host: url, token_last4: token.slice(-4), organization: { id: '5' } };
  write('config.json', { active: 'default', profiles: { default: profile } });
  if (storage === 'file') write('credentials.json', { [`default@${url}`]: token });
  return folder;
}
