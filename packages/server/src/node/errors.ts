/** Why the server did not start, in one plain sentence. Nothing was changed. `mkt serve` prints it and exits with 2. */
export class ServeError extends Error {
  override readonly name = 'ServeError';
  readonly exitCode = 2;
}
