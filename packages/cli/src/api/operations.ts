import type { ApiPromise, ListPromise, Marketplace, WriteOptions } from '@mkt/sdk';
import { cellText, type Row } from '../text/row.js';
import type { DraftResource } from './labels.js';

type Fields = Readonly<Record<string, unknown>>;

/** The operations that campaigns and collabs share, for commands that work on either. */
export interface Operations {
  readonly list: () => ListPromise<Row>;
  readonly get: (id: string) => ApiPromise<Row>;
  /** The caller has checked the fields with the contract. */
  readonly create: (fields: Fields) => PromiseLike<Row>;
  /** With the ETag of the row that it is based on, only if the row has not changed since. */
  readonly update: (id: string, fields: Fields, ifMatch: string | undefined) => PromiseLike<Row>;
  /** The state changes, by name. */
  readonly actions: Readonly<Record<string, (id: string) => PromiseLike<Row>>>;
}

export const operationsOf = (
  { name }: DraftResource,
  { campaigns, collabs }: Marketplace,
  organization: string,
  options: Omit<WriteOptions, 'ifMatch'>,
): Operations =>
  name === 'campaigns'
    ? {
        list: () => campaigns.list(organization, options),
        get: (id) => campaigns.get(organization, id, options),
        create: (fields) => campaigns.create(organization, { ...fields, name: cellText(fields.name) }, options),
        update: (id, fields, ifMatch) => campaigns.update(organization, id, fields, { ...options, ifMatch }),
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
        update: (id, fields, ifMatch) => collabs.update(organization, id, fields, { ...options, ifMatch }),
        actions: {
          submit: (id) => collabs.submit(organization, id, options),
          pause: (id) => collabs.pause(organization, id, options),
          unpause: (id) => collabs.unpause(organization, id, options),
        },
      };
