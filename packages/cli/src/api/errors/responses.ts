import {
  type AuthenticationError,
  type HttpError,
  MarketplaceError,
  NotFoundError,
  type ValidationError,
} from '@mkt/sdk';
import { hostOf } from '../../config/base-url.js';
import type { Context, Organization } from '../../context/context.js';
import type { Details } from '../../errors/cli-error.js';
import { exitCodes } from '../../errors/exit-codes.js';
import { sanitizeLine } from '../../text/sanitize.js';
import { cutTo } from '../../text/width.js';
import { capital, inPlace, listHint, objectOf, type Subject } from './subject.js';

/** What an error means to the user; `explain` adds status and cause. */
export type ErrorMessage = Pick<Details, 'code' | 'exitCode' | 'message' | 'hints' | 'fields'>;

/** The server's own message, if the body has one and is not a page. */
export function serverMessage(error: HttpError): string {
  const { body } = error;
  const { error: reason, message } = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const text = [reason, message, body].find(
    (each) => typeof each === 'string' && each.trim() !== '' && !/<\w/.test(each),
  );
  return text === undefined ? `it answered ${error.status}.` : cutTo(sanitizeLine(String(text)), 300);
}

/** 401: the token was rejected, or it may only read. */
export async function rejectedToken(error: AuthenticationError, context: Context): Promise<ErrorMessage> {
  const base = { code: 'token_rejected', exitCode: exitCodes.authentication };
  const asked = context.settings.baseUrl?.value;
  // Where the token is masked in it, the address need be none any more.
  const there = URL.canParse(error.url) ? hostOf(error.url) : undefined;
  if (asked !== undefined && there !== undefined && hostOf(asked) !== there)
    return {
      ...base,
      message: `${hostOf(asked)} sends requests on to ${there}, where your token does not go.`,
      hints: [`If that is the service: mkt login --base-url ${there}`],
    };
  const { tokenOrigin } = await import('../../config/credentials/token.js');
  const origin = tokenOrigin(context.io, context.settings);
  const from = origin === undefined ? '' : ` (from ${origin})`;
  const ofEnvironment = origin?.startsWith('MKT_') === true;
  if (error.method !== 'GET' && error.method !== 'HEAD' && (await mayRead(context))) {
    return {
      ...base,
      code: 'token_read_only',
      message: `Your token${from} is read-only: it may look, not change anything.`,
      hints: [
        ofEnvironment
          ? 'Set one whose permission is write, or unset it and use: mkt login'
          : 'Sign in with a token whose permission is write: mkt login',
      ],
    };
  }
  return {
    ...base,
    message: `Your token${from} was rejected: it is wrong, or it was revoked.`,
    hints: [ofEnvironment ? 'Set another one, or unset it and use: mkt login' : 'To sign in again: mkt login'],
  };
}

/** A 401 to a change means a read-only token where the same token may look (api.md, Authentication rule 7). */
async function mayRead(context: Context): Promise<boolean> {
  try {
    const client = await context.client();
    await client.organizations.list({ signal: context.io.interrupted });
    return true;
  } catch (error) {
    if (error instanceof MarketplaceError) return false;
    throw error;
  }
}

/** 404: of the organization if that is not visible either, else of the resource. */
export async function notFound(subject: Subject, context: Context): Promise<ErrorMessage> {
  const base = { code: 'not_found', exitCode: exitCodes.notFound };
  const { organization, resource } = subject;
  if (organization !== undefined && !(await isVisible(organization, context))) {
    return {
      ...base,
      message: `Organization ${organization.id} was not found, or this token does not see it.`,
      hints: ['mkt organizations list'],
    };
  }
  if (resource?.noun === 'address') {
    return { ...base, message: 'No address is set yet.', hints: ['mkt address set'] };
  }
  if (organization === undefined && subject.id === undefined) {
    // A list that everybody has.
    return {
      ...base,
      message: `There is no API at ${context.settings.baseUrl?.value ?? 'this address'}.`,
      hints: ['Is the address right? mkt config list --show-origin'],
    };
  }
  return {
    ...base,
    message: `${capital(objectOf(subject))} was not found${await inPlace(subject)}.`,
    hints: listHint(subject),
  };
}

async function isVisible(organization: Organization, context: Context): Promise<boolean> {
  try {
    const client = await context.client();
    await client.organizations.get(organization.id, { signal: context.io.interrupted });
    return true;
  } catch (error) {
    return !(error instanceof NotFoundError);
  }
}

const countOf = (count: number): string => (count === 1 ? 'One field was' : `${count} fields were`);

/** 422: invalid fields, or a rule that concerns no field. */
export async function invalid(error: ValidationError, subject: Subject): Promise<ErrorMessage> {
  const told = { code: 'rejected', exitCode: exitCodes.rejected, fields: error.fieldErrors };
  const own = Object.keys(error.fieldErrors).filter((field) => field !== 'base');
  if (own.length > 0) return { ...told, message: `${countOf(own.length)} rejected; nothing was changed.` };
  const reason = error.messages.map(sanitizeLine).join(' ') || serverMessage(error);
  const { base: _base, ...fields } = error.fieldErrors;
  return { ...told, fields, message: `The service refused to ${subject.verb} ${objectOf(subject)}: ${reason}` };
}

/** The API answers shows and lists without redirects; one to a sign-in page means that the token does not count (D40). */
export function redirected(error: HttpError): ErrorMessage {
  const location = sanitizeLine(error.headers.get('location') ?? 'nowhere');
  if (/sign_?in|log_?in/i.test(location)) {
    return {
      code: 'token_rejected',
      exitCode: exitCodes.authentication,
      message: `The service asks to sign in (it redirects to ${location}): your token was not taken.`,
      hints: ['To sign in again: mkt login'],
    };
  }
  return {
    code: 'unreadable_answer',
    exitCode: exitCodes.unexpected,
    message: `The service redirects to ${location} where an answer is due.`,
    hints: ['Is the address right? mkt auth status'],
  };
}
