import { randomBytes } from 'node:crypto';
import type { ElicitRequestFormParams, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { Context } from '../../context/context.js';
import { isObject } from '../../text/json.js';
import { type ApprovalPage, hasPerson, openApprovalPage } from './approval-page.js';
import { CLIENT_CAPABILITIES_META_KEY, createRequestStateCodec, inputRequired, type McpServer } from './protocol.js';

/** What a person answered. `dismissed`: nothing; `waiting`: not yet, on a page; `foreign`: to another question. */
export type Answer = 'approved' | 'refused' | 'dismissed' | 'unavailable' | 'waiting' | 'asking' | 'foreign';

/** How long a call waits for the page, in milliseconds. Most clients give up after a minute. */
const WAIT_MS = 45_000;
/** How long a question of the client may be open. */
const QUESTION_MS = 60 * 60_000;

/** Seals which question an answer belongs to, with a key of this process. */
const states = createRequestStateCodec<{ readonly plan: string; readonly question: string }>({
  key: randomBytes(32),
  ttlSeconds: QUESTION_MS / 1000,
});

/** The question about one plan: at most one is open, and its answer counts once. */
export class Approval {
  /** Of the open question in revisions in which the client repeats the call with the answer. */
  #question: string | undefined;
  #isAsking = false;
  #page: ApprovalPage | undefined;
  #pageAnswer: 'approved' | 'refused' | undefined;

  constructor(
    readonly context: Context,
    /** Its digest. */
    readonly plan: string,
    readonly text: string,
  ) {}

  /** Asks, or reads the answer that the call brings. */
  async ask(server: McpServer, request: ServerContext): Promise<Answer | InputRequiredResult> {
    const answer = await this.#askClient(server, request);
    if (answer !== 'dismissed' && answer !== 'unavailable') return answer;
    return hasPerson(this.context) ? this.#askOnPage(request.mcpReq.signal) : answer;
  }

  #askClient(server: McpServer, request: ServerContext): Promise<Answer | InputRequiredResult> {
    const isModern = (server.server.getNegotiatedProtocolVersion() ?? '') >= '2026-07-28';
    const { inputResponses, requestState } = request.mcpReq;
    const state = requestState();
    if (isModern && (inputResponses !== undefined || state !== undefined))
      return this.#answerIn(inputResponses, state, request);
    if (this.#page !== undefined || !canAsk(server, request)) return Promise.resolve('unavailable');
    return isModern ? this.#askLater() : this.#askNow(request);
  }

  get #form(): ElicitRequestFormParams {
    return {
      message: this.text,
      requestedSchema: {
        type: 'object',
        properties: { approve: { type: 'boolean', title: 'Apply these changes', default: false } },
        required: ['approve'],
      },
    };
  }

  /** Since 2026-07-28: the client asks, and calls again. A second question replaces the first. */
  async #askLater(): Promise<InputRequiredResult> {
    this.#question = randomBytes(16).toString('hex');
    const requestState = await states.mint({ plan: this.plan, question: this.#question });
    return inputRequired({ inputRequests: { approval: inputRequired.elicit(this.#form) }, requestState });
  }

  async #answerIn(
    responses: Record<string, unknown> | undefined,
    state: unknown,
    request: ServerContext,
  ): Promise<Answer> {
    const sealed = typeof state === 'string' ? await states.verify(state, request).catch(() => undefined) : undefined;
    if (sealed === undefined || sealed.plan !== this.plan || sealed.question !== this.#question) return 'foreign';
    this.#question = undefined;
    return answerFrom(responses?.approval);
  }

  /** Up to 2025-11-25: the server asks within the call. */
  async #askNow({ mcpReq }: ServerContext): Promise<Answer> {
    if (this.#isAsking) return 'asking';
    this.#isAsking = true;
    try {
      return answerFrom(await mcpReq.elicitInput(this.#form, { signal: mcpReq.signal, timeout: QUESTION_MS }));
    } catch (error) {
      if (mcpReq.signal.aborted) throw error;
      // The client said that it can ask, and cannot.
      return 'unavailable';
    } finally {
      this.#isAsking = false;
    }
  }

  /** A page of this machine, which stays open for the next call if there is no answer yet. */
  async #askOnPage(signal: AbortSignal): Promise<Answer> {
    if (this.#page === undefined) {
      const page = await openApprovalPage(this.context, this.text);
      this.#page = page;
      void page.answer.then((answer) => {
        this.#pageAnswer = answer;
        this.#page = answer === undefined ? undefined : this.#page;
      });
    }
    const { answer } = this.#page;
    let stop: () => void = () => undefined;
    const waited = new Promise<'waiting'>((resolve) => {
      stop = () => resolve('waiting');
      signal.addEventListener('abort', stop, { once: true });
    });
    const timer = setTimeout(stop, WAIT_MS);
    try {
      return this.#pageAnswer ?? (await Promise.race([answer, waited])) ?? 'dismissed';
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      // Who cancels the call takes the question back.
      if (signal.aborted) this.close();
    }
  }

  /** Closes the page. */
  close(): void {
    this.#page?.close();
    this.#page = undefined;
  }
}

/** Clients send answers as they like. */
function answerFrom(response: unknown): Answer {
  if (!isObject(response) || response.action === 'cancel') return 'dismissed';
  const { action, content } = response;
  return action === 'accept' && isObject(content) && content.approve === true ? 'approved' : 'refused';
}

/** Whether the client can show a form to its user: declared in each request, or in older revisions at the start. */
export function canAsk(server: McpServer, { mcpReq }: ServerContext): boolean {
  const { [CLIENT_CAPABILITIES_META_KEY]: declared } = (mcpReq.envelope ?? {}) as Record<string, unknown>;
  const capabilities = declared ?? server.server.getClientCapabilities();
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined;
  // Without any mode, a form is meant.
  return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation));
}
