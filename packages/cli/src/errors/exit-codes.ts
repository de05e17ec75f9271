/** What a run ends with. Scripts rely on these numbers: none changes its meaning. */
export const exitCodes = {
  ok: 0,
  unexpected: 1,
  usage: 2,
  notFound: 3,
  authentication: 4,
  forbidden: 5,
  rejected: 6,
  rateLimited: 7,
  network: 8,
  partial: 9,
  confirmation: 10,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** One line for each code, in help and in the docs. */
export const exitCodeMeanings: ReadonlyMap<ExitCode, string> = new Map([
  [0, 'ok, also an empty list'],
  [1, 'unexpected error, or the service failed (5xx); doctor --drift: it departs from the API document'],
  [2, 'wrong usage, or a value that is wrong before anything is sent'],
  [3, 'not found, or not visible to this token'],
  [4, 'no token, a rejected token, or a read-only token on a change'],
  [5, 'forbidden for your role'],
  [6, 'rejected by the service: invalid fields, a guard, a refused transition'],
  [7, 'too many requests'],
  [8, 'network failure or timeout'],
  [9, 'some of several done'],
  [10, 'not confirmed: the answer was no, or nobody could be asked (add --yes)'],
  [130, 'interrupted with Ctrl-C or SIGTERM'],
]);
