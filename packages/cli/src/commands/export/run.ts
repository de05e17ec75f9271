import { NotFoundError } from '@mkt/sdk';
import pMap from 'p-map';
import { fieldNames } from '../../api/field-flags.js';
import { LIST_ATTEMPTS, retryOptions } from '../../api/http/retries.js';
import { isNamed } from '../../api/labels.js';
import { severalOrganizations } from '../../api/organization.js';
import type { Context } from '../../context/context.js';
import { usageError } from '../../errors/cli-error.js';
import { Connection, connect } from '../../lists/connection.js';
import { detailView, type Listing } from '../../lists/presenter.js';
import { type PagesRead, readPages } from '../../lists/read-pages.js';
import { checkParts, readOrganizations, withOrganization } from '../../lists/several.js';
import type { Printer, Sink } from '../../output/printer.js';
import type { View } from '../../output/view.js';
import { idOf, type Row } from '../../text/values.js';

/** Writes one JSON array page by page, so that memory use does not grow with the export. */
async function writeJsonArray(sink: Sink, pages: AsyncIterable<readonly Row[]>): Promise<void> {
  const { jsonText } = await import('../../text/values.js');
  let first = true;
  for await (const page of pages) {
    if (page.length === 0) continue;
    const text = page.map((row) => jsonText(row).trimEnd().replaceAll(/^/gm, '  ')).join(',\n');
    await sink.write(`${first ? '[\n' : ',\n'}${text}`);
    first = false;
  }
  await sink.write(first ? '[]\n' : '\n]\n');
}

/** The rows of these pages with all their fields; one that was deleted meanwhile keeps the fields of the list. */
async function* withAllFields(pages: AsyncIterable<readonly Row[]>, get: (id: string) => PromiseLike<Row>) {
  const complete = async (row: Row): Promise<Row> => {
    try {
      return await get(idOf(row));
    } catch (error) {
      if (error instanceof NotFoundError) return row;
      throw error;
    }
  };
  for await (const page of pages) yield await pMap(page, complete, { concurrency: 8 });
}

export async function exportRows(
  context: Context,
  listings: readonly Listing[],
  name: string,
  flags: { readonly out?: string; readonly bom?: boolean; readonly 'no-bom'?: boolean },
) {
  const listing = listings.find(({ resource }) => isNamed(resource, name));
  if (listing === undefined) {
    const names = listings.map(({ resource }) => resource.command);
    throw usageError(`"${name}" cannot be exported.`, `One of: ${names.join(', ')}`);
  }
  const { resource } = listing;
  const out = flags.out === '-' ? undefined : flags.out;
  const { jq } = context.options;
  const bom = flags['no-bom'] === true ? false : flags.bom;
  const stdoutFormat = context.options.format ?? (jq === undefined ? 'csv' : 'json');
  const stdout = () => context.printerFor(stdoutFormat, { bom: bom ?? false });
  const target = { out, example: `${resource.command}.csv`, bom };
  const plainJson = ({ format, jq, fields }: Printer['options']): boolean =>
    format === 'json' && jq === undefined && fields === undefined;
  const result = await context.printTo(target, stdout, async (printer, sink) => {
    if (bom === true && printer.options.format !== 'csv') throw usageError('--bom works only with csv.');
    const write = (pages: AsyncIterable<readonly Row[]>, view: View): Promise<void> =>
      plainJson(printer.options) ? writeJsonArray(sink, pages) : printer.rows(pages, view);
    const view = detailView(listing);
    const several = resource.inOrganization ? await severalOrganizations(context) : undefined;
    if (several === undefined) {
      const { organization, count } = await readRows(context, listing, (pages) => write(pages, view));
      const where = organization === undefined ? '' : ` of ${await organization.name()}`;
      return { receipt: `Exported ${count} ${resource.plural}${where}`, parts: [] };
    }
    const parts = await readOrganizations(context, several, { action: 'export', resource }, async (organization) => {
      const rows: Row[] = [];
      await readRows(context.within(organization, printer), listing, async (pages) => {
        for await (const page of pages) rows.push(...page);
      });
      return rows;
    });
    const found = parts.flatMap(({ value = [], named }) => value.map((row) => ({ organization: named, ...row })));
    await write(
      (async function* () {
        yield found;
      })(),
      withOrganization(view),
    );
    const count = parts.filter(({ error }) => error === undefined).length;
    return { receipt: `Exported ${found.length} ${resource.plural} of ${count} organizations`, parts };
  });
  if (out !== undefined) context.note(`${result.receipt} to ${out}.`);
  await checkParts(result.parts, `Exported the ${resource.plural} of`);
}

/** Reads the whole list, with all fields if the command line asks for those that lists leave out. */
async function readRows(
  context: Context,
  listing: Listing,
  write: (pages: AsyncIterable<readonly Row[]>) => Promise<void>,
) {
  const { resource } = listing;
  const { api, organization } = await connect(context, listing);
  const client = api.client.withOptions(retryOptions(context, LIST_ATTEMPTS));
  const connection = new Connection(context, listing, { ...api, client }, organization);
  const fields = fieldNames(resource.schema);
  const listed = fieldNames(resource.listSchema);
  const isUnlisted = (field: string): boolean => fields.includes(field) && !listed.includes(field);
  const get = (context.options.fields ?? fields).some(isUnlisted) ? connection.operations.get : undefined;
  const read: PagesRead = { searched: 0, total: undefined, more: false };
  await connection.explained('export', undefined, () =>
    context.withProgress(`Exporting ${resource.plural}`, async (progress) => {
      const pages = readPages(connection.operation('list')(), { reading: connection.reading() }, read, progress);
      await write(get === undefined ? pages : withAllFields(pages, get));
    }),
  );
  return { organization, count: read.searched };
}
