import type { CallOptions, CampaignFields, ListPromise, Marketplace } from '@mkt/sdk';
import type { Row } from '../text/row.js';

type Fields = Readonly<Record<string, unknown>>;

/** The operations that campaigns and collabs share, for commands that work on either. */
export interface Operations {
  readonly list: () => ListPromise<Row>;
  readonly get: (id: string) => PromiseLike<Row>;
  /** The fields are checked by the contract before. */
  readonly create: (fields: Fields) => PromiseLike<Row>;
  readonly update: (id: string, fields: Fields) => PromiseLike<Row>;
  /** The state changes, by name. */
  readonly actions: Readonly<Record<string, (id: string) => PromiseLike<Row>>>;
}

export const operationsOf = (
  group: 'campaigns' | 'collabs',
  { campaigns, collabs }: Marketplace,
  organization: string,
  options: CallOptions,
): Operations =>
  group === 'campaigns'
    ? {
        list: () => campaigns.list(organization, options),
        get: (id) => campaigns.get(organization, id, options),
        create: (fields) => campaigns.create(organization, fields as unknown as CampaignFields, options),
        update: (id, fields) => campaigns.update(organization, id, fields, options),
        actions: {
          publish: (id) => campaigns.publish(organization, id, options),
          pause: (id) => campaigns.pause(organization, id, options),
          resume: (id) => campaigns.resume(organization, id, options),
        },
      }
    : {
        list: () => collabs.list(organization, options),
        get: (id) => collabs.get(organization, id, options),
        create: (fields) => collabs.create(organization, fields, options),
        update: (id, fields) => collabs.update(organization, id, fields, options),
        actions: {
          submit: (id) => collabs.submit(organization, id, options),
          pause: (id) => collabs.pause(organization, id, options),
          unpause: (id) => collabs.unpause(organization, id, options),
        },
      };
