// What interceptors need where they cannot do what a network can. Loaded on demand, so it imports nothing: the bundler would
// make a chunk of what two chunks share.

/** The response with its whole body; a body that breaks off becomes a broken connection. */
export async function unlessBroken(response: Response): Promise<Response> {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  return response.arrayBuffer().then(
    (body) => new Response(body, { status, statusText, headers }),
    () => Response.error(),
  );
}

/**
 * Breaks the connection as a server does. Of an error response MSW only makes a TypeError: without a code over `node:http`,
 * with this response as its cause over `fetch`. MSW 2 never ends an XMLHttpRequest whose body breaks
 * off; in MSW 3 such a body ends as if it were complete.
 * @param sender what MSW intercepted, if that is not `fetch`
 */
export async function breakConnection(response: Response, sender: object | undefined, isMsw3: boolean) {
  const isLost = isMsw3 ? 'breaksOff' in response : sender !== undefined && 'responseType' in sender;
  if (response.type !== 'error') return isLost ? unlessBroken(response) : response;
  // The request of node:http.
  if (sender && 'destroy' in sender && typeof sender.destroy === 'function')
    sender.destroy(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
  return Object.assign(response, { message: 'An injected fault closed the connection.', code: 'UND_ERR_SOCKET' });
}
