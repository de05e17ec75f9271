import type { CallOptions, ListPromise, Marketplace } from '@mkt/sdk';
import type { Column, View } from '../../output/view.js';
import type { Row } from '../../text/row.js';

type Fields = Readonly<Record<string, unknown>>;

/** The operations of one resource, its organization already filled in. */
export interface Verbs {
  readonly list?: (page?: number) => ListPromise<Row>;
  readonly get?: (id: string) => PromiseLike<Row>;
  readonly create?: (fields: Fields, query?: { readonly website?: string }) => PromiseLike<Row>;
  readonly update?: (id: string, fields: Fields) => PromiseLike<Row>;
  readonly delete?: (id: string) => PromiseLike<unknown>;
  /** The web actions (D39, D40), by name. */
  readonly actions?: Readonly<Record<string, (id: string) => PromiseLike<Row>>>;
}

/** A noun of the API as this program works with it. */
export interface Resource {
  /** As in a sentence: `campaign`. */
  readonly noun: string;
  readonly plural: string;
  /** The command group: `mkt campaigns`. */
  readonly command: string;
  /** Names of the contract's schemas: of one, and of one within a list. */
  readonly schema: string;
  readonly listSchema: string;
  readonly columns: readonly Column[];
  /** The path of what people call one by. */
  readonly title: string;
  readonly inOrganization: boolean;
  readonly verbs: (client: Marketplace, organization: string, options: CallOptions) => Verbs;
}

const fieldsOf = async (schema: string): Promise<string[]> => {
  const { fieldNames } = await import('../field-flags.js');
  return fieldNames(schema);
};

/**
 * How rows of a resource are shown. The contract's field names are looked up only where the output needs them: loading
 * the schemas is a good part of a command's start.
 */
export async function viewOf(resource: Resource, of: 'list' | 'one', needsFields: boolean): Promise<View> {
  const fields = needsFields ? await fieldsOf(of === 'list' ? resource.listSchema : resource.schema) : [];
  return { columns: resource.columns, fields };
}
