import { ConfigurationError } from '../errors.js';

/** What `fetch` sends. Taken from `RequestInit`, which Node's types know too: programs without the DOM's types compile. */
export type Body = NonNullable<RequestInit['body']>;

/** Checks objects only: on Node 20 the first use of a web class loads the code of all of them. */
export const isStream = (body: Body | undefined): boolean => typeof body === 'object' && body instanceof ReadableStream;

/** A body as it is sent, with the type of a form, which holds the boundary of its parts. */
export interface Encoded {
  body: Body;
  formType?: string;
}

/** Encodes a form here, where its class is known: a `fetch` of npm's undici sends only forms of its own class. */
export async function encode(body: Body): Promise<Encoded> {
  if (typeof body !== 'object' || !(body instanceof FormData)) return { body };
  const form = new Response(body);
  // Before the body: Bun sets it when it is first read, and not any more after that.
  const formType = form.headers.get('content-type') as string;
  return { body: await form.arrayBuffer(), formType };
}

/** The body and headers of a call that sends JSON. */
export function jsonBody(operation: string, value: unknown): { body: () => string; headers: Record<string, string> } {
  const object = Object(value);
  // JSON would be wrong for a Map or a stream of Node, and there is none for a function.
  const isIterable = !Array.isArray(value) && (Symbol.iterator in object || Symbol.asyncIterator in object);
  return {
    body: () => {
      let cause: unknown;
      try {
        const text = isIterable ? undefined : JSON.stringify(value);
        if (text !== undefined) return text;
      } catch (error) {
        cause = error;
      }
      throw new ConfigurationError('the body cannot be JSON. A stream is a ReadableStream.', { operation, cause });
    },
    headers: { 'content-type': 'application/json' },
  };
}
