import { allResources, isNamed } from '../../api/labels.js';
import { defineCommand } from '../../context/command.js';
import { toType, usageError } from '../../errors/cli-error.js';
import type { Listing } from '../../lists/presenter.js';

const names = allResources.map(({ command }) => command);
const withIds = allResources.flatMap(({ command, hasPages }) => (hasPages ? [command] : []));

/** `listings` find a resource by its name. */
export const open = (listings: readonly Listing[]) =>
  defineCommand({
    name: 'open',
    summary: 'Open the service or one of its pages in the browser',
    notes: ['mkt prints the URL first. Without a terminal, it does nothing else.'],
    args: [
      { name: 'resource', description: `One of ${names.join(', ')}`, completes: { choices: names } },
      {
        name: 'id',
        description: 'Id or unique name to open; without it, mkt opens the list',
        completes: { listedOf: withIds },
      },
    ],
    examples: [{ line: 'mkt open' }, { line: "mkt open campaigns 'Curl week' --org 5" }, { line: 'mkt open tokens' }],
    run: async (context, { args: [word, id] }) => {
      const resource = allResources.find((each) => word !== undefined && isNamed(each, word));
      if (word !== undefined && resource === undefined)
        throw usageError(`"${word}" has no page.`, `One of: ${names.join(', ')}`);
      if (id !== undefined && resource?.hasPages !== true)
        throw usageError(`mkt open ${resource?.command} takes no id.`, toType(`mkt open ${resource?.command}`));
      const listing = listings.find((each) => each.resource === resource);
      const { openNamed, openPage } = await import('../../lists/browse.js');
      if (listing === undefined || id === undefined) await openPage(context, resource, id);
      else await openNamed(context, listing, id);
    },
  });
