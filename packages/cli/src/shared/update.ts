import { explained } from '../api/errors/explain.js';
import { type Resource, viewOf } from '../api/resources/resource.js';
import type { Run } from '../context/command.js';
import { usageError } from '../errors/cli-error.js';
import { receipt } from './create.js';
import { collectFields } from './fields/collect.js';
import { flagsOf } from './fields/flags-of.js';

/** `update <id>`: sends the fields that are named, and nothing else. */
export const update =
  (resource: Resource, wrapper: string): Run =>
  async (context, invocation) => {
    const [id = ''] = invocation.args;
    const fields = await collectFields(invocation, wrapper, context);
    if (Object.keys(fields).length === 0) {
      const names = (await flagsOf(invocation.leaf))
        .filter(({ field }) => field !== undefined)
        .map(({ name }) => `--${name}`);
      throw usageError('Nothing to change: no field is given.', `One or more of: ${names.join(' ')}`);
    }
    const client = await context.client();
    const organization = resource.inOrganization ? await context.organization() : undefined;
    const view = await viewOf(resource, 'one', true);
    context.print.checkKnown(view);
    const options = { signal: context.io.interrupted };
    const row = await explained(context, { verb: 'update', resource, id, organization }, async () => {
      const answer = await resource.verbs(client, organization?.id ?? '', options).update?.(id, fields);
      if (answer === undefined) throw new Error(`${resource.plural} cannot be updated.`);
      return answer;
    });
    await receipt(context, { resource, row, done: 'Updated', organization });
    await context.print.changed(row, view);
  };
