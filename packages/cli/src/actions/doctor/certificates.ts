import { readFileSync } from 'node:fs';
import { exitCodes } from '../../errors/exit-codes.js';
import type { Io } from '../../io.js';
import { type Check, fail, ok, warn } from './check.js';
import { reasonOf } from './reach.js';

/** Certificates that are trusted beside the usual ones; Node reads them when it starts. */
export function certificatesCheck({ env }: Pick<Io, 'env'>): Check {
  const check = 'certificates';
  const path = env.NODE_EXTRA_CA_CERTS;
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return warn(
      check,
      'NODE_TLS_REJECT_UNAUTHORIZED=0: anybody on the way can read your token.',
      'unset NODE_TLS_REJECT_UNAUTHORIZED',
      'To trust one more: NODE_EXTRA_CA_CERTS=/path/to/company-ca.pem',
    );
  }
  if (!path) return ok(check, 'the usual ones');
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return fail(
      check,
      exitCodes.usage,
      `${path}, which NODE_EXTRA_CA_CERTS names, cannot be read (${reasonOf(error)}).`,
      'unset NODE_EXTRA_CA_CERTS, or give the path of a file that is there',
    );
  }
  const count = text.split('-----BEGIN CERTIFICATE-----').length - 1;
  if (count > 0) return ok(check, `the usual ones and ${count} of ${path}`);
  return fail(
    check,
    exitCodes.usage,
    `${path}, which NODE_EXTRA_CA_CERTS names, holds no certificate.`,
    'It needs text with lines such as -----BEGIN CERTIFICATE-----',
  );
}
