import { endpoints } from '@mkt/sdk/contract';
import { resolveToken } from '../../../config/credentials/token.js';
import type { Context } from '../../../context/context.js';
import { CliError } from '../../../errors/cli-error.js';
import { exitCodes } from '../../../errors/exit-codes.js';
import type { View } from '../../../output/view.js';
import { Probe } from '../probe.js';
import { askerFor } from './asker.js';
import { Findings } from './findings.js';
import { Walk } from './walk.js';

/** Milliseconds for all of it. */
const TIME = 120_000;

const view: View = {
  fields: ['endpoint', 'method', 'path', 'kind', 'where', 'expected', 'got', 'times'],
  columns: [
    { field: 'endpoint', header: 'ENDPOINT', priority: 0, whole: true },
    { field: 'kind', header: 'KIND', priority: 0, whole: true },
    { field: 'where', header: 'WHERE', priority: 0, whole: true },
    { field: 'expected', header: 'EXPECTED', priority: 0 },
    { field: 'got', header: 'GOT', priority: 0 },
    { field: 'times', header: 'TIMES', priority: 1, align: 'right' },
  ],
};

const departsIn = (count: number): CliError =>
  new CliError({
    code: 'drift',
    exitCode: exitCodes.unexpected,
    message: `The service departs from the API document in ${count === 1 ? 'one way' : `${count} ways`}.`,
    hints: ['As data, to send to whoever runs it: mkt doctor --drift --json'],
  });

const outOfTime = (): CliError =>
  new CliError({
    code: 'timeout',
    exitCode: exitCodes.network,
    message: `${TIME / 1000} seconds were not enough for everything; what is missing is "not checked".`,
    hints: ['For one organization alone: mkt doctor --drift --org ID'],
  });

/** `mkt doctor --drift`: reads what the token sees, compares it with the contract, and reports the departures. */
export async function drift(context: Context): Promise<void> {
  const { io, options, settings } = context;
  const { print } = context;
  const baseUrl = settings.requiredBaseUrl;
  const token = await resolveToken(io, settings, baseUrl, (text) => context.warn(text));
  const probe = await Probe.open(context, baseUrl, token.value);
  const reading = endpoints.filter(({ method }) => method === 'GET');
  const findings = new Findings(reading);
  const end = performance.now() + TIME;
  let stopped: unknown;
  const organizations = await context.withProgress('Requests', async (progress) => {
    const asker = askerFor(probe, end, { signal: io.interrupted, onAnswer: (asked) => progress.update(asked) });
    try {
      return await new Walk(asker, findings).read(reading, options.org);
    } catch (error) {
      stopped = error;
      return 0;
    }
  });
  // What was found until then is told, unless nobody asked for it.
  const unwanted = stopped instanceof CliError && stopped.exitCode === exitCodes.notFound;
  if (stopped !== undefined && (findings.empty || unwanted || io.interrupted.aborted)) throw stopped;
  await print.rows([findings.rows()], view);
  if (stopped !== undefined) throw stopped;
  const looked = `${organizations} organization${organizations === 1 ? '' : 's'}`;
  if (print.forPeople) context.note(`${probe.asked} requests, GET and HEAD alone, in ${looked}.`);
  if (findings.departures > 0) throw departsIn(findings.departures);
  if (performance.now() > end) throw outOfTime();
}
