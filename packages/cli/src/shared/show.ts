import { explained } from '../api/errors/explain.js';
import { type Resource, viewOf } from '../api/resources/resource.js';
import type { Run } from '../context/command.js';

/** `show <id>`: one object with all its fields. */
export const show =
  (resource: Resource): Run =>
  async (context, { args: [id = ''] }) => {
    const client = await context.client();
    const organization = resource.inOrganization ? await context.organization() : undefined;
    const view = await viewOf(resource, 'one', context.print.needsFields);
    const options = { signal: context.io.interrupted };
    await explained(context, { verb: 'show', resource, id, organization }, async () => {
      const row = await resource.verbs(client, organization?.id ?? '', options).get?.(id);
      if (row !== undefined) await context.print.row(row, view);
    });
  };
