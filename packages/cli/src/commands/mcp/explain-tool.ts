import type { McpServer } from '@modelcontextprotocol/server';
import type { Context } from '../../context/context.js';
import { type ErrorCode, type ExitCode, errorCodes, exitCodeMeanings, exitCodes } from '../../errors/cli-error.js';
import { json } from './command-line.js';
import { cut, type Row, result } from './result.js';
import { registerTool } from './tool.js';

/** What to do about an error, where its exit code does not say enough. */
const advice: Partial<Readonly<Record<ErrorCode, string>>> = {
  answer_lost: 'The change may have been made. Read the resource before you try again.',
  cancelled: 'A person said no. Do not repeat it without a new request.',
  changed_meanwhile: 'Someone else changed the resource. Read it again, then plan again.',
  confirmation_needed: 'A person has to confirm it. Show them the dry run, or use plan_changes and apply_plan.',
  forbidden: 'The role does not permit it: find members with the role admin.',
  not_found: 'The id is wrong, or this token may not see it: use find. Only admins see drafts.',
  partly_done: 'Some changes were made. The results say which; plan the rest again.',
  rate_limited: 'Wait as long as the message says.',
  rehearsal_rejected: 'The copy rejected a change, so nothing was sent. The fields say why.',
  rejected: 'The fields say why. Correct them, and plan again.',
  token_read_only: 'A person signs in with a token that may write, or applies the plan.',
  token_rejected: 'A person signs in again: mkt login.',
  not_signed_in: 'A person signs in: mkt login.',
  transition_refused:
    'The state does not allow the action. Campaigns: draft, publish, active, pause, paused, resume, active; finished is final. Collabs: draft, submit, submitted_for_review, the marketplace reviews, published, pause, paused, unpause.',
};

/** Statuses with the error code that they mean. */
const byStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'token_rejected',
  403: 'forbidden',
  404: 'not_found',
  412: 'changed_meanwhile',
  422: 'rejected',
  429: 'rate_limited',
};

/** Errors whose causes are on the way to the service. */
const CONNECTION: readonly number[] = [exitCodes.authentication, exitCodes.network];

/** The error that a text names: by its code, else by its exit code, else by a status. */
function named(text: string): { readonly code?: ErrorCode; readonly exitCode?: ExitCode; readonly status?: number } {
  const words: readonly string[] = text.match(/[a-z]+(?:_[a-z]+)*/g) ?? [];
  const codes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => words.includes(code));
  // Words such as "failed" are codes too, but less exact ones.
  const code = codes.find((word) => word.includes('_')) ?? codes.find((word) => word in advice);
  if (code !== undefined) return { code, exitCode: errorCodes[code] };
  const [, exit] = /exit[ _]?code\D{0,3}(\d+)/i.exec(text) ?? [];
  const known = [...exitCodeMeanings.keys()].find((each) => String(each) === exit);
  if (known !== undefined) return { exitCode: known };
  const status = Number(/\b[45]\d\d\b/.exec(text)?.[0]);
  const meant = byStatus[status];
  if (meant !== undefined) return { code: meant, exitCode: errorCodes[meant], status };
  if (/ECONN|ENOTFOUND|ETIMEDOUT|fetch failed|certificate|time.?out/i.test(text))
    return { code: 'network', exitCode: exitCodes.network };
  if (Number.isNaN(status)) return codes[0] === undefined ? {} : { code: codes[0], exitCode: errorCodes[codes[0]] };
  return { status, exitCode: status >= 500 ? exitCodes.unexpected : exitCodes.rejected };
}

/** What the checks of mkt doctor found wrong. */
async function findings(context: Context, signal: AbortSignal): Promise<readonly Row[]> {
  const checks = await json(context, ['doctor'], { signal, accepted: Object.values(exitCodes) });
  return (checks as readonly Row[]).filter(({ status }) => status === 'fail' || status === 'warn');
}

/** Errors, and for those of the network or the sign-in what mkt doctor finds. */
export function registerExplainError(server: McpServer, context: Context): void {
  registerTool<{ readonly error: string }>(server, 'explain_error', {
    title: 'Explain an error',
    description: 'Explain an error of mkt, the SDK or the API; for the network and the sign-in, also check them.',
    properties: { error: { type: 'string', description: 'Its text, code or status' } },
    required: ['error'],
    output: { meaning: { type: ['string', 'null'] } },
    run: async ({ error }, { mcpReq: { signal } }) => {
      const { code, exitCode, status } = named(error);
      const meaning = exitCode === undefined ? null : (exitCodeMeanings.get(exitCode) ?? null);
      const next = code === undefined ? undefined : advice[code];
      const found = exitCode !== undefined && CONNECTION.includes(exitCode) ? await findings(context, signal) : [];
      const about = {
        ...(code !== undefined && { code }),
        ...(status !== undefined && { status }),
        meaning,
        ...(next !== undefined && { next }),
      };
      return result(meaning ?? 'unknown error', cut(found), about);
    },
  });
}
