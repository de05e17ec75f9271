// No secret is compared with `===`, whose duration reveals how much of a guess is right. Secrets are looked up by digest through a
// unique index, or compared in constant time. Secrets are recognized by name: a value called token, digest, csrf, signature, ...
import { readdirSync, readFileSync } from 'node:fs';

/** The last word of the name of a value: `csrfToken`, `session_secret`, `token`; not `token_host`, not `tokenCount`. */
const secretName =
  /(^|[_.#]|[a-z](?=[A-Z]))(token|secret|digest|csrf|signature|password|credential|cookie|hmac|proof)s?[!?]?$/i;
/** Functions that compute a secret: `sha256(given)`. */
const secretMaker = /\b(sha256|sha512|hmac|sign|digest|hash|csrfFor|proof|hashToken)\(/i;
const comparison =
  /([\w.#?!]+(?:\([^()]*\))?) ?[!=]==? ?([\w.#?!'"`]+(?:\([^()]*\))?)|([\w.#?!]+)\.(?:startsWith|endsWith|localeCompare)\(([\w.#?!'"`]+)/g;

/** Comparisons of the caller's own token with the one it used before, in the caller's process: there is no guess. */
const allowed = ['packages/sdk/src/transport/transport.ts: this.#hashed?.token !== token'];

const isSecret = (operand) => secretMaker.test(operand) || secretName.test(operand);
/** Not a guess: null, undefined, a literal, a constant. */
const isPlain = (operand) => /^(['"`\d]|(null|undefined|true|false)\b)/.test(operand);

const found = readdirSync('packages', { recursive: true, encoding: 'utf8' })
  .map((path) => `packages/${path.replaceAll('\\', '/')}`)
  .filter((path) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(path))
  .flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(comparison)]
      .filter(([, left, right, text, prefix]) => {
        const sides = [left ?? text, right ?? prefix];
        return sides.some(isSecret) && !sides.some(isPlain);
      })
      .map(([text]) => `${path}: ${text}`),
  );

const problems = found.filter((each) => !allowed.includes(each));
const stale = allowed.filter((each) => !found.includes(each));
if (problems.length > 0)
  process.stderr.write(
    `A secret is compared with ===. Look it up by its digest, or use timingSafeEqual:\n${problems.join('\n')}\n`,
  );
if (stale.length > 0)
  process.stderr.write(`Allowed in scripts/checks/secrets.mjs, but no longer there:\n${stale.join('\n')}\n`);
process.exitCode = problems.length + stale.length > 0 ? 1 : 0;
