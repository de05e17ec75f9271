import { createWriteStream, existsSync, openSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { finished } from 'node:stream/promises';
import { explained } from '../../api/errors/explain.js';
import { campaigns } from '../../api/resources/campaigns.js';
import { collabs } from '../../api/resources/collabs.js';
import { members } from '../../api/resources/members.js';
import { organizations } from '../../api/resources/organizations.js';
import { type Resource, viewOf } from '../../api/resources/resource.js';
import { socialAccounts } from '../../api/resources/social-accounts.js';
import { tokens } from '../../api/resources/tokens.js';
import { FORMATS, type Format } from '../../config/format.js';
import type { Run } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { exportable } from '../../context/exportable.js';
import { quoted } from '../../context/next-command.js';
import { nounOf } from '../../context/noun-of.js';
import { usageError } from '../../errors/cli-error.js';
import { Printer } from '../../output/printer.js';
import { Sink } from '../../output/sink.js';
import { type Walked, walkPages } from '../../shared/walk.js';
import type { Row } from '../../text/row.js';

const resources: Readonly<Record<(typeof exportable)[number], Resource>> = {
  campaigns,
  collabs,
  members,
  organizations,
  'social-accounts': socialAccounts,
  tokens,
};

/** Files of spreadsheet programs: csv under such a name opens in none of them. */
const WORKBOOK = /^\.(xlsx?|ods|numbers)$/i;

/** The format that was asked for, else what the file's ending says, else csv. */
function formatFor(context: Context, out: string | undefined): Format {
  const asked = context.options.format;
  if (asked !== undefined) return asked;
  const suffix = extname(out ?? '');
  if (WORKBOOK.test(suffix)) {
    const csv = `${out?.slice(0, -suffix.length)}.csv`;
    throw usageError(`mkt writes no ${suffix} files.`, `Spreadsheet programs open csv: --out ${quoted(csv)}`);
  }
  const ending = suffix.slice(1).toLowerCase();
  return FORMATS.find((format) => format === ending) ?? (ending === 'yml' ? 'yaml' : 'csv');
}

/** json in one array is written as it grows too: an export of any size stays small in memory. */
async function writeJsonArray(sink: Sink, pages: AsyncIterable<readonly Row[]>): Promise<void> {
  const { jsonText } = await import('../../text/json.js');
  let first = true;
  for await (const page of pages) {
    if (page.length === 0) continue;
    const text = page.map((row) => jsonText(row).trimEnd().replaceAll(/^/gm, '  ')).join(',\n');
    await sink.write(`${first ? '[\n' : ',\n'}${text}`);
    first = false;
  }
  await sink.write(first ? '[]\n' : '\n]\n');
}

interface Target {
  readonly sink: Sink;
  readonly close: () => Promise<void>;
  readonly discard: () => void;
}

const isDevice = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isFile() && !found.isDirectory();
};

/** Where a link leads, such as /dev/stdout: what is there takes the rows, and the link stays. */
const behindLinks = (path: string): string => (existsSync(path) ? realpathSync(path) : path);

/**
 * A file that takes its name only when it is complete: half an export is never mistaken for a whole one. A device or a
 * named pipe is written to as it is.
 */
function fileTarget(path: string): Target {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw usageError(`${path} is a folder.`, `Name a file in it: --out ${join(path, 'export.csv')}`);
  const folder = dirname(path);
  if (!existsSync(folder)) throw usageError(`There is no folder ${folder}.`);
  const device = isDevice(path);
  const file = device ? path : behindLinks(path);
  const partial = device ? path : `${file}.${process.pid}.part`;
  // Opened at once: a folder that is not there is told before anything is fetched.
  const stream = createWriteStream(partial, { fd: openSync(partial, 'w') });
  return {
    sink: new Sink(stream),
    close: async () => {
      stream.end();
      await finished(stream);
      if (!device) renameSync(partial, file);
    },
    discard: () => {
      stream.destroy();
      if (!device) rmSync(partial, { force: true });
    },
  };
}

export const exportRows: Run = async (context, { args: [noun = ''], flags }) => {
  const name = exportable.find((each) => each === nounOf(noun));
  if (name === undefined) throw usageError(`"${noun}" cannot be exported.`, `One of: ${exportable.join(', ')}`);
  const resource = resources[name];
  // By an old habit of shells, - is stdout.
  const out = flags.out === '-' ? undefined : (flags.out as string | undefined);
  const format = formatFor(context, out);
  if (flags.bom === true && format !== 'csv') throw usageError('--bom is for csv.');
  const client = await context.client();
  const organization = resource.inOrganization ? await context.organization() : undefined;
  const view = await viewOf(resource, 'list', true);

  const target: Target =
    out === undefined
      ? { sink: new Sink(context.io.stdout.stream), close: async () => undefined, discard: () => undefined }
      : fileTarget(out);
  const { page: _pager, ...printing } = context.print.options;
  const printer = new Printer(target.sink, {
    ...printing,
    format,
    ...(out !== undefined && { width: undefined, style: (_tone: unknown, text: string) => text }),
  });
  const walked: Walked = { searched: 0, total: undefined, more: false };
  try {
    await explained(context, { verb: 'export', resource, organization }, () =>
      context.withProgress(`Exporting ${resource.plural}`, async (progress) => {
        const options = { signal: context.io.interrupted };
        const list = resource.verbs(client, organization?.id ?? '', options).list?.();
        if (list === undefined) throw new Error(`${resource.plural} cannot be listed.`);
        const pages = walkPages(list, {}, walked, progress);
        if (flags.bom === true) await target.sink.write('\ufeff');
        const plainJson = format === 'json' && context.options.jq === undefined && context.options.fields === undefined;
        if (plainJson) await writeJsonArray(target.sink, pages);
        else await printer.rows(pages, view);
        await target.close();
      }),
    );
  } catch (error) {
    target.discard();
    throw error;
  }
  const where = organization === undefined ? '' : ` of ${await organization.name()}`;
  if (out !== undefined) context.note(`Exported ${walked.searched} ${resource.plural}${where} to ${out}.`);
};
