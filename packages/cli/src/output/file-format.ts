import { extname } from 'node:path';
import { usageError } from '../errors/cli-error.js';
import { FILE_FORMATS, type FileFormat, type Format, formats } from '../text/formats.js';
import { isDevice } from './file-target.js';

const ENDINGS: Readonly<Record<string, FileFormat>> = Object.fromEntries(
  FILE_FORMATS.flatMap((format) => formats[format].endings.map((ending) => [ending, format])),
);

const WORKBOOKS = ['xls', 'xlsb', 'xlsm', 'ods', 'numbers'];

interface FormatOptions {
  /** The format that the command line asks for. */
  readonly given: Format | undefined;
  /** The format of a file without an ending, and of a device. */
  readonly fallback: FileFormat;
  /** What can be written; by default everything. */
  readonly possible?: readonly FileFormat[];
  /** The subject of errors. */
  readonly command?: string;
  /** The jq expression, which can print text of any format. */
  readonly jq?: string | undefined;
}

/** The format of a file, by `--format` or by its ending. @throws a usage error for an ending that cannot be written */
export function formatOfFile(path: string, options: FormatOptions): FileFormat {
  const { given, fallback, possible = Object.values(ENDINGS), command = 'mkt', jq } = options;
  const ending = isDevice(path) ? '' : extname(path).slice(1).toLowerCase();
  const named = ENDINGS[ending];
  const format = named ?? given ?? fallback;
  const isText = ending === '' || (ending === 'txt' && (given ?? jq) !== undefined);
  if (!isText && (named === undefined || !possible.includes(named))) {
    const endings = Object.keys(ENDINGS).filter((each) => possible.some((known) => known === ENDINGS[each]));
    const workbook = WORKBOOKS.includes(ending) && possible.includes('xlsx');
    throw usageError(
      `${command} cannot write .${ending} files.`,
      `Endings: ${endings.map((each) => `.${each}`).join(', ')}`,
      ...(workbook ? ['Spreadsheet programs open .xlsx'] : []),
    );
  }
  if (jq !== undefined) {
    if (format === 'xlsx') throw usageError('--jq and a workbook (.xlsx) cannot be used together.');
    return 'json';
  }
  if (given !== undefined && given !== format)
    throw usageError(`--format ${given} and the ending .${ending} of --out cannot be used together.`);
  return format;
}
