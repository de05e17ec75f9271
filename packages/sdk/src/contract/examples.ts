import type { Endpoint } from './endpoint.js';
import type { contract } from './table.js';

/** Values of path parameters, by name. */
export type PathIds = Readonly<Record<string, number | string>>;

/** A request that works on the demo data with the token of the demo's admin. */
export interface Example<Fields = unknown> {
  /** Path parameters other than the resource's own `ids`. */
  readonly ids?: PathIds;
  readonly fields?: Fields;
}

type ReadonlyList<T> = T extends readonly (infer Item)[] ? readonly Item[] : T;
type FieldsOf<E> =
  E extends Endpoint<infer _Item, infer Fields>
    ? { readonly [Name in keyof Fields]?: ReadonlyList<Fields[Name]> }
    : never;

export interface ResourceExamples<Endpoints = Readonly<Record<string, Endpoint>>> {
  /** Path parameters of a resource in the demo data. */
  readonly ids: PathIds;
  /** Of operations that need fields, or another resource than `ids` names. */
  readonly requests: { readonly [Name in keyof Endpoints]?: Example<FieldsOf<Endpoints[Name]>> };
}

type Contract = typeof contract;

/** The requests that OpenAPI and the reference show. */
export const examples = {
  accessTokens: {
    ids: { id: 2 },
    requests: { create: { fields: { description: 'Nightly report', permission: 'read' } } },
  },
  organizations: {
    ids: { id: 5 },
    requests: {
      create: { fields: { name: 'Umbra Skincare', website: 'https://umbra.example' } },
      update: { fields: { website: 'https://shop.acme.example' } },
      delete: { ids: { id: 7 } },
    },
  },
  members: { ids: { organization_id: 5, id: 'mem_5_cleo' }, requests: { update: { fields: { role: 'admin' } } } },
  campaigns: {
    ids: { organization_id: 5, id: 1 },
    requests: {
      create: { fields: { name: 'Autumn glow', countries: ['US', 'CA'], cpm_amount: 700 } },
      update: { fields: { name: 'Summer UGC, second wave' } },
      delete: { ids: { id: 10 } },
      pause: { ids: { id: 3 } },
      resume: { ids: { id: 4 } },
    },
  },
  collabs: {
    ids: { organization_id: 5, id: 1 },
    requests: {
      get: { ids: { id: 3 } },
      create: { fields: { name: 'Lip oil, first looks', require_spark_ads: true } },
      update: { fields: { requires_product_shipment: true } },
      pause: { ids: { id: 6 } },
      unpause: { ids: { id: 4 } },
    },
  },
  socialAccounts: {
    ids: { id: 1 },
    requests: {
      create: { fields: { platform_id: 'youtube', account_url: 'https://www.youtube.com/@acmestudio' } },
      delete: { ids: { id: 3 } },
    },
  },
  address: {
    ids: {},
    requests: {
      update: {
        fields: { address_one: '500 Broadway', address_two: 'Suite 3', city: 'Oakland', postal_code: '94607' },
      },
    },
  },
} as const satisfies { readonly [R in keyof Contract]: ResourceExamples<Contract[R]> };
