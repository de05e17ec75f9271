import type { Context } from '../context/context.js';
import type { Printer, Sink } from '../output/printer.js';

interface Destination {
  /** `--out`; `-` means stdout, and so does undefined. */
  readonly out: string | undefined;
  /** A file name for errors. */
  readonly example: string;
  /** `--no-bom`: by default CSV files start with a byte order mark, and stdout and devices do not. */
  readonly bom?: boolean | undefined;
}

/**
 * Prints to the file of `--out`, in the format of its ending, or to stdout with the given printer. The ending is checked
 * before anything is requested.
 */
export async function printTo<Result>(
  context: Context,
  { out, example, bom }: Destination,
  stdout: () => Printer,
  print: (printer: Printer, sink: Sink) => Promise<Result>,
): Promise<Result> {
  if (out === undefined || out === '-') return print(stdout(), context.stdout);
  // Loaded here, because most lists are printed.
  const [{ formatOfFile }, { isDevice, writeTo }] = await Promise.all([
    import('../output/file-format.js'),
    import('../output/file-target.js'),
  ]);
  const { format: given, jq } = context.options;
  const format = formatOfFile(out, { given, fallback: 'csv', jq });
  return writeTo({ path: out, stdout: context.stdout, example }, (file) =>
    print(context.printerFor(format, { file, bom: bom ?? !isDevice(out) }), file),
  );
}
