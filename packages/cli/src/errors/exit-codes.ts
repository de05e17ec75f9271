/** The exit codes. Scripts rely on them, so their meanings never change. */
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

/** One line per code, for help and the docs. */
export const exitCodeMeanings: ReadonlyMap<ExitCode, string> = new Map([
  [0, 'success, including an empty list'],
  [1, 'unexpected error, or the service failed (5xx); doctor --drift: differences from the API document'],
  [2, 'invalid usage, or an invalid value found before anything is sent'],
  [3, 'not found, or not visible to this token'],
  [4, 'no token, a rejected token, or a read-only token on a change'],
  [5, 'not allowed for your role'],
  [6, 'rejected by the service: invalid fields, a rule, an impossible change of state'],
  [7, 'too many requests'],
  [8, 'network failure or timeout'],
  [9, 'partly done: only some of several operations succeeded'],
  [10, 'not confirmed: you declined, or there was no terminal for the prompt (add --yes)'],
  [130, 'interrupted with Ctrl-C or SIGTERM'],
]);
