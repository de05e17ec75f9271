import { collectionOf, endpoints, type FieldKinds, kindsIn, nestedListOf, resources } from '@mkt/sdk/contract';
import type { TableDefinition } from '../../store/table-definition.js';
import { type DataTableName, definitionOf, tableNames } from '../../store/tables.js';

/** A list below an item, whose rows are in a table of their own. In a seed file they are in the item, under the list's name. */
export interface StoredList {
  readonly name: string;
  readonly singular: string;
  readonly table: DataTableName;
  /** The table of the items, and the column that names one. */
  readonly parent: DataTableName;
  readonly column: string;
  readonly definition: TableDefinition;
  readonly kinds: FieldKinds;
  /** The columns that a seed file has: without those that follow from the place in the file. */
  readonly fields: readonly string[];
}

/** Campaigns and collabs are written by their rules. */
const writtenByRules: readonly string[] = ['campaigns', 'collabs'];

const isTable = (name: string): name is DataTableName => (tableNames as readonly string[]).includes(name);

/** The lists of the contract whose table has their name, or that of their parent before it: `submissions`, `campaign_submissions`. */
export const storedLists: readonly StoredList[] = endpoints.flatMap((endpoint) => {
  const list = nestedListOf(endpoint);
  if (!list || writtenByRules.includes(list.name)) return [];
  const { name, singular } = list;
  const parent = collectionOf(list.parentPath) as DataTableName;
  return [`${resources[list.parent].singular}_${name}`.replaceAll(' ', '_'), name].flatMap((table): StoredList[] => {
    if (!isTable(table)) return [];
    const definition = definitionOf(table);
    const references = Object.entries(definition.references ?? {});
    const [column] = references.find(([, of]) => of === parent) ?? [];
    if (column === undefined) return [];
    const implied = references.flatMap(([of, referred]) => (of === column || referred === 'organizations' ? [of] : []));
    const fields = Object.keys(definition.columns).filter((field) => !implied.includes(field));
    const kinds = kindsIn(endpoint.operation);
    return [{ name, singular, table, parent, column, definition, kinds, fields }];
  });
});

export const listsBelow = (parent: DataTableName): readonly StoredList[] =>
  storedLists.filter((list) => list.parent === parent);

const placement = ['id', 'position', 'banner_image', 'banner_image_key'] as const;

/** The fields of an item without its place, its image and the rows of its lists. */
export const ownFields = <Item extends object>(parent: DataTableName, item: Item) => {
  const others: readonly string[] = [...placement, ...listsBelow(parent).map(({ name }) => name)];
  const own = Object.entries(item).filter(([field]) => !others.includes(field));
  return Object.fromEntries(own) as Omit<Item, (typeof placement)[number]>;
};
