/** The part of OpenTelemetry's interfaces that is used here. */
interface Span {
  updateName(name: string): unknown;
  setAttributes(attributes: Readonly<Record<string, string | number>>): unknown;
  setStatus(status: { readonly code: number }): unknown;
  end(): void;
}
interface SpanOptions {
  readonly kind: number;
  readonly attributes?: Readonly<Record<string, string>>;
}
interface Tracer {
  startActiveSpan<Result>(name: string, options: SpanOptions, context: unknown, work: (span: Span) => Result): Result;
}
interface Registered {
  readonly trace?: { getTracer(name: string): Tracer };
  readonly context?: { active(): unknown };
  readonly propagation?: { extract(context: unknown, carrier: Headers, getter: typeof headerGetter): unknown };
}

const headerGetter = {
  get: (headers: Headers, name: string): string | undefined => headers.get(name) ?? undefined,
  keys: (headers: Headers): string[] => [...headers.keys()],
};

const kinds = { server: 1, client: 2 };
const failed = { code: 2 };

/** Spans of OpenTelemetry, for requests and for the statements that they cause. */
export class Tracing {
  readonly #spans = new WeakMap<Request, Span>();
  readonly #tracer: Tracer;

  private constructor(
    private readonly api: Registered,
    provider: NonNullable<Registered['trace']>,
  ) {
    this.#tracer = provider.getTracer('@mkt/server');
  }

  /**
   * What the process has registered with `@opentelemetry/api` before; null if nothing is registered. Not imported: a second
   * copy of that package, such as one in the bundle of the command line, finds the first only if it is not newer.
   */
  static registered(): Tracing | null {
    const api = (globalThis as { readonly [key: symbol]: Registered | undefined })[
      Symbol.for('opentelemetry.js.api.1')
    ];
    return api?.trace ? new Tracing(api, api.trace) : null;
  }

  /** Runs `work` in a span, whose parent is the one of the request's headers. */
  request(request: Request, work: () => Promise<Response>): Promise<Response> {
    const active = this.api.context?.active();
    const context = this.api.propagation?.extract(active, request.headers, headerGetter) ?? active;
    const attributes = { 'http.request.method': request.method };
    return this.#tracer.startActiveSpan(request.method, { kind: kinds.server, attributes }, context, async (span) => {
      this.#spans.set(request, span);
      return ended(span, async () => {
        const response = await work();
        span.setAttributes({ 'http.response.status_code': response.status });
        if (response.status >= 500) span.setStatus(failed);
        return response;
      });
    });
  }

  /** Names the span of a request, when its operation is known. */
  describe(request: Request, operation: string | null, path: string): void {
    const span = this.#spans.get(request);
    span?.updateName(`${request.method} ${operation ?? 'other'}`);
    span?.setAttributes({ 'url.path': path, ...(operation !== null && { 'mkt.operation': operation }) });
  }

  /** Runs a statement in a span. Its text has no values. */
  statement<Result>(
    system: string,
    { name, text }: { readonly name?: string; readonly text: string },
    run: () => Result,
  ) {
    const attributes = { 'db.system.name': system, 'db.query.text': text };
    const title = name ?? /^\w+/.exec(text.trim())?.[0] ?? system;
    return this.#tracer.startActiveSpan(title, { kind: kinds.client, attributes }, this.api.context?.active(), (span) =>
      ended(span, run),
    );
  }
}

/** Ends `span` with the work, now or when its promise settles. */
function ended<Result>(span: Span, work: () => Result): Result {
  const fail = (error: unknown): never => {
    span.setStatus(failed);
    span.end();
    throw error;
  };
  let result: Result;
  try {
    result = work();
  } catch (error) {
    return fail(error);
  }
  if (result instanceof Promise)
    return result.then((value) => {
      span.end();
      return value;
    }, fail) as Result;
  span.end();
  return result;
}

let known: Tracing | null | undefined;

/** As registered when this is first called: when the server starts. */
export const tracing = (): Tracing | null => {
  if (known === undefined) known = Tracing.registered();
  return known;
};
