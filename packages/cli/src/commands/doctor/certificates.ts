import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { exitCodes } from '../../errors/exit-codes.js';
import type { Io } from '../../io/io.js';
import { type Check, fail, ok, warn } from './check.js';
import { reasonOf } from './reach.js';

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]*(?:-----END CERTIFICATE-----)?/g;

const isCertificate = (block: string): boolean => {
  try {
    return new X509Certificate(block).serialNumber !== '';
  } catch {
    return false;
  }
};

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
  const blocks = text.match(BLOCK) ?? [];
  if (blocks.length > 0 && blocks.every(isCertificate))
    return ok(check, `the usual ones and ${blocks.length} of ${path}`);
  return fail(
    check,
    exitCodes.usage,
    blocks.length === 0
      ? `${path}, which NODE_EXTRA_CA_CERTS names, holds no certificate.`
      : `${path}, which NODE_EXTRA_CA_CERTS names, holds a certificate that is damaged.`,
    'It needs whole parts from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----',
  );
}
