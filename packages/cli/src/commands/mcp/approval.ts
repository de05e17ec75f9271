import { randomBytes } from 'node:crypto';
import type { ElicitRequestFormParams, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import { isObject } from '../../text/values.js';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
} from './protocol.js';

/**
 * What a person answered in the client. `dismissed`: nothing; `blank`: yes to the form, which was not filled in as it asks; `foreign`: to
 * another question.
 */
export type Answer = 'approved' | 'refused' | 'dismissed' | 'blank' | 'unavailable' | 'asking' | 'foreign';

/** How long a question may be open, in milliseconds. */
export const QUESTION_MS = 30 * 60_000;

interface AskedState {
  readonly plan: string;
  readonly question: string;
  /** Whether it is the second one, after a blank answer. */
  readonly isRepeated: boolean;
}

/** Seals which question an answer belongs to, with a key of this process. */
const states = createRequestStateCodec<AskedState>({ key: randomBytes(32), ttlSeconds: QUESTION_MS / 1000 });

/** The question of the client about one plan: at most one is open, and its answer counts once. */
export class Approval {
  /** Of the open question in revisions in which the client repeats the call with the answer. */
  #question: string | undefined;
  #isAsking = false;

  constructor(
    readonly plan: string,
    readonly text: string,
  ) {}

  /** Asks, or reads the answer that the call brings. A blank answer is asked for once more. */
  async ask(server: McpServer, request: ServerContext): Promise<Answer | InputRequiredResult> {
    const isModern = (server.server.getNegotiatedProtocolVersion() ?? '') >= '2026-07-28';
    const { inputResponses, requestState } = request.mcpReq;
    const state = requestState();
    if (isModern && (inputResponses !== undefined || state !== undefined))
      return this.#answerIn(inputResponses, state, request);
    if (!canAsk(server, request)) return 'unavailable';
    if (isModern) return this.#askLater(false);
    const answer = await this.#askNow(request);
    if (answer !== 'blank') return answer;
    const second = await this.#askNow(request);
    return second === 'blank' ? 'dismissed' : second;
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
  async #askLater(isRepeated: boolean): Promise<InputRequiredResult> {
    this.#question = randomBytes(16).toString('hex');
    const requestState = await states.mint({ plan: this.plan, question: this.#question, isRepeated });
    return inputRequired({ inputRequests: { approval: inputRequired.elicit(this.#form) }, requestState });
  }

  async #answerIn(
    responses: Record<string, unknown> | undefined,
    state: unknown,
    request: ServerContext,
  ): Promise<Answer | InputRequiredResult> {
    const sealed = typeof state === 'string' ? await states.verify(state, request).catch(() => undefined) : undefined;
    if (sealed === undefined || sealed.plan !== this.plan || sealed.question !== this.#question) return 'foreign';
    this.#question = undefined;
    const answer = answerFrom(responses?.approval);
    if (answer !== 'blank') return answer;
    return sealed.isRepeated ? 'dismissed' : this.#askLater(true);
  }

  /** Up to 2025-11-25: the server asks within the call. */
  async #askNow({ mcpReq }: ServerContext): Promise<Answer> {
    if (this.#isAsking) return 'asking';
    this.#isAsking = true;
    try {
      return answerFrom(await mcpReq.elicitInput(this.#form, { signal: mcpReq.signal, timeout: QUESTION_MS }));
    } catch (error) {
      if (mcpReq.signal.aborted) throw error;
      if (error instanceof ProtocolError && error.code === ProtocolErrorCode.InvalidParams) return 'blank';
      // The client said that it can ask, and cannot.
      return 'unavailable';
    } finally {
      this.#isAsking = false;
    }
  }
}

/** Clients send answers as they like. */
function answerFrom(response: unknown): Answer {
  if (!isObject(response) || response.action === 'cancel') return 'dismissed';
  const { action, content } = response;
  if (action !== 'accept') return 'refused';
  if (!isObject(content) || typeof content.approve !== 'boolean') return 'blank';
  return content.approve ? 'approved' : 'refused';
}

/** Whether the client can show a form to its user: declared in each request, or in older revisions at the start. */
export function canAsk(server: McpServer, { mcpReq }: ServerContext): boolean {
  const { [CLIENT_CAPABILITIES_META_KEY]: declared } = (mcpReq.envelope ?? {}) as Record<string, unknown>;
  const capabilities = declared ?? server.server.getClientCapabilities();
  const elicitation = isObject(capabilities) ? capabilities.elicitation : undefined;
  // Without any mode, a form is meant.
  return isObject(elicitation) && ('form' in elicitation || !('url' in elicitation));
}
