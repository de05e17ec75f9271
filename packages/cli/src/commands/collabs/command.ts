import { resources } from '@mkt/sdk/contract/resources';
import { collabs as resource } from '../../api/resources.js';
import { type CommandGroup, defineCommand } from '../../context/command.js';
import { handlers, manyIds, oneId, stateCommand } from '../../shared/definitions.js';
import { byCountry, byName, byState, draftsNote, filterNote, listFlags } from '../../shared/list-flags.js';
import type { Api, Listing } from '../../shared/presenter.js';

export const listing: Listing = {
  resource,
  columns: [
    { field: 'id', header: 'ID', priority: 0, whole: true },
    { field: 'name', header: 'NAME', priority: 0 },
    { field: 'state', header: 'STATE', priority: 1 },
    { field: 'countries', header: 'COUNTRIES', priority: 4 },
    { field: 'submissions_count', header: 'SUBMISSIONS', priority: 2, align: 'right' },
    { field: 'completed_count', header: 'COMPLETED', priority: 3, align: 'right' },
    { field: 'published_at', header: 'PUBLISHED', priority: 5, day: true },
  ],
  list: ({ client, organization, options }) => client.collabs.list(organization, options),
};

const get = ({ client, organization, options }: Api, id: string) => client.collabs.get(organization, id, options);

const stateFlag = byState(resources.collabs.states);

export const collabs: CommandGroup = {
  name: 'collabs',
  summary: 'Briefs that creators apply to',
  commands: [
    defineCommand({
      name: 'list',
      summary: 'List collabs',
      notes: [filterNote, draftsNote],
      flags: [stateFlag, { ...stateFlag, name: 'status', hidden: true }, byName, byCountry, ...listFlags],
      prints: 'collabListItem',
      examples: [
        { line: 'mkt collabs list --org 5' },
        { line: 'mkt collabs list --org 5 --state paused,draft', about: 'Filtered' },
        { line: 'mkt collabs list --org 5 --sort -submissions_count --limit 3' },
      ],
      run: async (context, invocation) => (await handlers()).list(context, invocation, listing),
    }),
    defineCommand({
      name: 'show',
      summary: 'Show one collab, its brief included',
      args: oneId(resource),
      prints: 'collab',
      examples: [{ line: 'mkt collabs show 3 --org 5' }, { line: 'mkt collabs show 3 --org 5 --format yaml' }],
      run: async (context, { args: [id] }) => (await handlers()).show(context, listing, { id, get }),
    }),
    defineCommand({
      name: 'create',
      summary: 'Create a collab, as a draft',
      notes: ["What is left out comes from the organization's defaults."],
      fields: { schema: 'collabFields', wrapper: 'collab', partial: false },
      flags: [
        {
          name: 'from-page',
          kind: 'text',
          value: 'URL',
          description: 'Fill the draft from a product page, which the service reads',
        },
      ],
      prints: 'collab',
      examples: [
        { line: "mkt collabs create --org 5 --name 'Lipstick unboxing' --requires-product-shipment" },
        {
          line: "mkt collabs create --org 5 --name 'Glow serum' --brief '<p>Show your <b>morning</b> routine.</p>' --countries US",
        },
      ],
      run: async (context, invocation) => {
        const { create, draftNext } = await handlers();
        const website = invocation.flags['from-page'];
        await create(context, invocation, listing, {
          verb: 'create',
          done: 'Created',
          send: ({ client, organization, options }, fields) =>
            client.collabs.create(organization, fields, { ...options, website }),
          next: draftNext(resources.collabs, 'submit'),
        });
      },
    }),
    defineCommand({
      name: 'update',
      summary: 'Change fields of a collab',
      notes: ['The state is changed with submit, pause and unpause.'],
      args: oneId(resource),
      fields: { schema: 'collabFields', wrapper: 'collab', partial: true },
      prints: 'collab',
      examples: [
        { line: "mkt collabs update 1 --org 5 --name 'Lip oil, first looks'" },
        { line: 'mkt collabs update 3 --org 5 --purge-banner-image' },
      ],
      run: async (context, invocation) => {
        const { update } = await handlers();
        const [id] = invocation.args;
        await update(context, invocation, listing, {
          id,
          send: ({ client, organization, options }, fields) => client.collabs.update(organization, id, fields, options),
        });
      },
    }),
    defineCommand({
      name: 'delete',
      summary: 'Delete collabs without approved submissions',
      args: manyIds(resource),
      examples: [
        { line: 'mkt collabs delete 1 --org 5 --yes' },
        { line: 'mkt collabs delete 1 19 --org 5 --yes', about: 'Several at once' },
      ],
      run: async (context, invocation) => {
        const { destroy } = await handlers();
        await destroy(context, invocation, listing, {
          verb: 'delete',
          done: 'Deleted',
          get,
          send: ({ client, organization, options }, id) => client.collabs.delete(organization, id, options),
        });
      },
    }),
    stateCommand(listing, {
      verb: 'submit',
      done: 'Submitted',
      summary: 'Submit drafts for review',
      demoIds: ['1', '5 19'],
      get,
      send: ({ client, organization, options }, id) => client.collabs.submit(organization, id, options),
    }),
    stateCommand(listing, {
      verb: 'pause',
      done: 'Paused',
      summary: 'Pause published collabs',
      demoIds: ['3', '6 7'],
      get,
      send: ({ client, organization, options }, id) => client.collabs.pause(organization, id, options),
    }),
    stateCommand(listing, {
      verb: 'unpause',
      done: 'Unpaused',
      summary: 'Let paused collabs go on',
      demoIds: ['4', '9 14'],
      get,
      send: ({ client, organization, options }, id) => client.collabs.unpause(organization, id, options),
    }),
  ],
};
