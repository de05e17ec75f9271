import { setTimeout as wait } from 'node:timers/promises';
import type { Marketplace } from '@mkt/sdk';
import { withErrorContext } from '../api/errors/explain.js';
import { type DraftResource, drafts } from '../api/labels.js';
import { operationsOf } from '../api/operations.js';
import type { Context, Organization } from '../context/context.js';
import { CliError, exitCodes } from '../errors/cli-error.js';
import { OpenReading } from '../history/journal.js';
import { hostOf } from '../history/place.js';
import type { Reading } from '../history/record.js';
import type { Row } from '../text/row.js';
import { pullConcurrency } from './pull.js';

/** Campaigns and collabs of an organization, as they are now. */
export interface Observed {
  readonly campaigns: readonly Row[];
  readonly collabs: readonly Row[];
  readonly readings: readonly Reading[];
}

const attempts = 3;

/** A client that waits for as long as a service asks for. */
export const patientClient = (client: Marketplace): Marketplace =>
  client.withOptions({
    maxConcurrency: pullConcurrency,
    totalTimeout: 900_000,
    retry: { limit: 6, maxRetryAfter: 300_000 },
  });

async function readList(
  context: Context,
  client: Marketplace,
  organization: Organization,
  resource: DraftResource,
): Promise<{ rows: Row[]; reading: Reading }> {
  const { interrupted: signal } = context.io;
  const scope = {
    host: hostOf(context.settings.requiredBaseUrl),
    organization: organization.id,
    resource: resource.command,
  };
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    // So that all of a few creations in a row are over.
    if (attempt > 1) await wait(attempt * 200, undefined, { signal });
    const rows: Row[] = [];
    let reading: Reading | undefined;
    const open = new OpenReading(scope, {
      now: () => context.io.now().toISOString(),
      read: (ended) => {
        reading = ended;
      },
    });
    const { list } = operationsOf(resource, client, organization.id, { signal });
    for await (const page of list().pages({ concurrency: pullConcurrency })) {
      rows.push(...page.items);
      open.add(page.items, page.totalCount);
    }
    open.end();
    if (reading !== undefined) return { rows, reading };
  }
  throw new CliError({
    code: 'changed_meanwhile',
    exitCode: exitCodes.unexpected,
    message: `The list of ${resource.plural} changed each of the ${attempts} times that it was read, so nothing was recorded.`,
    hints: ['Try again later.'],
  });
}

/** Reads all campaigns and collabs. */
export async function observe(context: Context, client: Marketplace, organization: Organization): Promise<Observed> {
  const read = (resource: DraftResource) =>
    withErrorContext(context, { action: 'list', resource, organization }, () =>
      readList(context, client, organization, resource),
    );
  const campaigns = await read(drafts.campaigns);
  const collabs = await read(drafts.collabs);
  return { campaigns: campaigns.rows, collabs: collabs.rows, readings: [campaigns.reading, collabs.reading] };
}
