import {
  AbortedError,
  AuthenticationError,
  ConfigurationError,
  ConnectionError,
  HttpError,
  NotFoundError,
  PermissionError,
  ServerError,
  TimeoutError,
  ValidationError,
} from '@mkt/sdk';
import { explain } from '../../api/errors/explain.js';
import { neverReached } from '../../api/errors/network.js';
import type { Resource } from '../../api/resources.js';
import type { Context, Organization } from '../../context/context.js';
import { CliError } from '../../errors/cli-error.js';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.js';
import { sanitizeLine } from '../../text/sanitize.js';

/** Why a row was not created, or may not have been. */
export interface Refusal {
  /**
   * `refused`: it was not created. `failed`: the service failed, and hardly created it. `missed`: the connection broke.
   * `late`: no answer in time, and it may be carried out yet.
   */
  readonly outcome: 'refused' | 'failed' | 'missed' | 'late';
  /** Whether every other row would fare the same: the token, the role, the address. */
  readonly concernsAll: boolean;
  readonly code: string;
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly hints: readonly string[];
}

function outcomeOf(error: unknown): Refusal['outcome'] {
  if (error instanceof TimeoutError) return 'late';
  if (error instanceof ConfigurationError || neverReached(error)) return 'refused';
  if (error instanceof ConnectionError || error instanceof AbortedError) return 'missed';
  return error instanceof HttpError && !(error instanceof ServerError) ? 'refused' : 'failed';
}

const concernsAll = (error: unknown): boolean =>
  error instanceof AuthenticationError ||
  error instanceof PermissionError ||
  error instanceof NotFoundError ||
  error instanceof ConfigurationError ||
  (error instanceof HttpError && error.status >= 300 && error.status < 400) ||
  neverReached(error);

/** What went wrong with the creation of one row. */
export async function refusalOf(
  error: unknown,
  context: Context,
  resource: Resource,
  organization: Organization,
): Promise<Refusal> {
  const base = { outcome: outcomeOf(error), concernsAll: concernsAll(error) };
  if (error instanceof ValidationError) {
    const said = Object.values(error.fieldErrors).flat().map(sanitizeLine).join(' ');
    if (said !== '') return { ...base, code: 'rejected', exitCode: exitCodes.rejected, message: said, hints: [] };
  }
  const told = await explain(error, { verb: 'create', resource, organization }, context);
  if (told instanceof CliError) {
    const { code, exitCode, hints = [] } = told.details;
    return { ...base, code, exitCode, message: told.message, hints };
  }
  const message = sanitizeLine(told instanceof Error ? told.message : String(told));
  return { ...base, code: 'unexpected', exitCode: exitCodes.unexpected, message, hints: [] };
}
