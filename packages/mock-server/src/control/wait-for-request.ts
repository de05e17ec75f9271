import { ControlError, checked } from './errors.js';
import { lineOf, passes, type RequestFilter, requestFilter, type WaitOptions, waitOptions } from './matching.js';

/** @throws {ControlError} if no request matches in time */
export function waitForRequest<Request extends Parameters<ReturnType<typeof passes>>[0]>(
  log: {
    list(filter?: RequestFilter): readonly Request[];
    subscribe(listener: (request: Request) => void): () => void;
  },
  filter: RequestFilter = {},
  options: WaitOptions = {},
): Promise<Request> {
  const { timeout = 1000 } = checked('options', waitOptions, options);
  const matches = passes(checked('filter', requestFilter, filter));
  const [earlier] = log.list(filter);
  if (earlier) return Promise.resolve(earlier);
  return new Promise((resolve, reject) => {
    const end = log.subscribe((request) => {
      if (!matches(request)) return;
      clearTimeout(timer);
      end();
      resolve(request);
    });
    const timer = setTimeout(() => {
      end();
      const sent = log.list().map((request) => `\n  ${lineOf(request)}`);
      const shown = sent.length > 0 ? `:${sent.slice(-10).join('')}` : '.';
      const what = `No request matched ${JSON.stringify(filter)} in ${timeout} ms.`;
      reject(new ControlError(`${what} ${sent.length} were sent${shown}`));
    }, timeout);
  });
}
