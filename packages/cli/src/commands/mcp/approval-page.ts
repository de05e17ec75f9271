import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import openInBrowser from 'open';
import type { Context } from '../../context/context.js';
import { isOn } from '../../io/io.js';
import { escapeHtml } from '../../text/html-text.js';
import { QUESTION_MS } from './approval.js';

const MAX_BODY = 4096;

/** What became of a plan, for the person who answered. */
export interface PageResult {
  readonly title: string;
  readonly text: string;
}

/** Whether a browser that opens would be seen. */
export function hasPerson({ io: { env, platform }, options }: Context): boolean {
  if (options['no-input'] === true || isOn(env.MKT_NO_INPUT) || isOn(env.CI)) return false;
  return platform !== 'linux' || (env.DISPLAY ?? env.WAYLAND_DISPLAY ?? '') !== '';
}

const WITHDRAWN = 'The assistant has taken its question back. Nothing was changed.';

const secret = (): string => randomBytes(32).toString('base64url');

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isEqualSecret = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const STYLE = `:root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid GrayText;border-radius:.5rem;padding:1rem;direction:ltr}pre span{display:block;padding-left:12ch;text-indent:-12ch}
form{display:flex;gap:1rem}button{font:inherit;padding:.6rem 1.4rem;border:1px solid;border-radius:.5rem;cursor:pointer}`;
const styleHash = createHash('sha256').update(STYLE).digest('base64');

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // With no-referrer, browsers would send no Origin.
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  Connection: 'close',
};

const html = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style><main><h1>${title}</h1>${body}</main></html>`;

// What is wrapped is indented, so that it does not look like another line.
const linesHtml = (text: string): string =>
  `<pre>${text
    .split('\n')
    .map((line) => `<span>${escapeHtml(line) || ' '}</span>`)
    .join('')}</pre>`;

const planHtml = (text: string, csrf: string): string =>
  html(
    'Apply this plan?',
    `<p>An AI assistant asks to make these changes with your sign-in. It cannot see or answer this page.</p>
${linesHtml(text)}
<form method="post"><input type="hidden" name="csrf" value="${csrf}"><button name="answer" value="refuse">Refuse</button><button name="answer" value="approve">Approve</button></form>`,
  );

const resultHtml = ({ title, text }: PageResult): string =>
  html(escapeHtml(title), `${text === '' ? '' : linesHtml(text)}<p>You can close this page.</p>`);

function respond(response: ServerResponse, status: number, page: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...HEADERS, ...headers }).end(page);
}

const reject = (response: ServerResponse, status: number, reason: string): void =>
  respond(response, status, html('Not possible', `<p>${reason}</p>`));

/** An address as the kernel lists it: `0100007F:1F90`. */
const listed = (port: number): string => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;

/**
 * Whether the other end of a connection of this machine belongs to the user of this process, or to root. Only Linux says
 * whose it is.
 */
async function isOfThisUser({ remotePort = 0, localPort = 0 }: Socket): Promise<boolean> {
  const files = ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'latin1').catch(() => ''));
  const lines = (await Promise.all(files)).flatMap((text) => text.split('\n').slice(1));
  if (lines.length === 0) return true;
  const [end, own] = [listed(remotePort), listed(localPort)];
  const owners = lines.flatMap((line) => {
    const [, from = '', to = '', , , , , uid, , inode] = line.trim().split(/\s+/);
    // Closed ones have no inode, and not their user either.
    return from.endsWith(end) && to.endsWith(own) && inode !== '0' ? [Number(uid)] : [];
  });
  return owners.length > 0 && owners.every((owner) => owner === 0 || owner === process.getuid?.());
}

async function bodyOf(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  let text = '';
  for await (const part of request) {
    text += String(part);
    if (text.length > MAX_BODY) return undefined;
  }
  return new URLSearchParams(text);
}

/**
 * Serves the text of a plan at a one-time address of this machine, prints the address on stderr and opens it. Only the
 * browser that opens it first can see it again and answer, once; then it shows what became of the plan.
 * @param decide carries the answer out
 */
export async function openApprovalPage(
  { io }: Context,
  text: string,
  decide: (isApproved: boolean) => Promise<PageResult>,
) {
  const [path, csrf, session] = [`/${secret()}`, secret(), secret()];
  let isOpened = false;
  let isWithdrawn = false;
  let outcome: Promise<PageResult> | undefined;
  let host = '';

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = await bodyOf(request);
    if (form === undefined) return reject(response, 413, 'This is too long.');
    if (!isEqualSecret(form.get('csrf') ?? '', csrf))
      return reject(response, 403, 'Reload the page, and answer there.');
    const given = form.get('answer');
    if (given !== 'approve' && given !== 'refuse') return reject(response, 422, 'Approve or refuse the plan.');
    if (isWithdrawn) return reject(response, 409, WITHDRAWN);
    // As when the page is reloaded.
    if (outcome !== undefined) return respond(response, 409, resultHtml(await outcome));
    outcome = decide(given === 'approve');
    respond(response, 200, resultHtml(await outcome));
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request;
    // Other names of this address may belong to another page (DNS rebinding).
    if (headers.host !== host) return reject(response, 421, 'This is not the address of this page.');
    // The address is an argument of the program that opens it, which all users of this machine can read.
    if (!(await isOfThisUser(request.socket)))
      return reject(response, 403, 'Another user of this machine cannot open this page.');
    if (!isEqualSecret(url, path)) return reject(response, 404, 'There is no such page.');
    const isOwn = (headers.cookie ?? '').split('; ').some((each) => isEqualSecret(each, `mkt=${session}`));
    if (isOpened && !isOwn) return reject(response, 403, 'This address was opened before, in another browser.');
    if (method === 'GET') {
      isOpened = true;
      if (isWithdrawn) return reject(response, 409, WITHDRAWN);
      const cookie = `mkt=${session}; Path=${path}; HttpOnly; SameSite=Strict`;
      const page = outcome === undefined ? planHtml(text, csrf) : resultHtml(await outcome);
      return respond(response, 200, page, { 'Set-Cookie': cookie });
    }
    if (method !== 'POST') return reject(response, 405, 'This page can only be read and answered.');
    if (!isOwn || headers.origin !== `http://${host}`)
      return reject(response, 403, 'Another page cannot answer this one.');
    return answer(request, response);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, fail) => {
    server.once('error', fail).listen(0, '127.0.0.1', resolve).unref();
  });
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = (): void => {
    isWithdrawn = true;
    server.close();
    if (outcome === undefined) server.closeAllConnections();
  };
  setTimeout(close, QUESTION_MS).unref();
  const url = `http://${host}${path}`;
  io.stderr.stream.write(`To approve or refuse the plan of the assistant: ${url}\n`);
  await openInBrowser(url).catch(() => undefined);
  return {
    /** Takes the question back: a later answer does nothing, and the page says so. */
    withdraw: () => {
      isWithdrawn = true;
    },
    close,
  };
}
