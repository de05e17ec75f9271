import type { Format } from '../config/format.js';
import type { GlobalOptions } from '../context/context.js';
import { usageError } from '../errors/cli-error.js';

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The flags of every command as the context takes them. */
export function globalOptions(values: Readonly<Record<string, unknown>>): GlobalOptions {
  const format = values.json === true ? 'json' : (text(values.format) as Format | undefined);
  const jq = text(values.jq);
  if (values.json === true && values.format !== undefined && values.format !== 'json') {
    throw usageError(`--json and --format ${String(values.format)} contradict each other.`);
  }
  if (jq !== undefined && format !== undefined && format !== 'json') {
    throw usageError('--jq works on JSON.', `Leave --format ${format} out`);
  }
  return {
    org: text(values.org),
    profile: text(values.profile),
    baseUrl: text(values['base-url']),
    format,
    fields: values.fields as readonly string[] | undefined,
    jq,
    header: values['no-header'] !== true,
    quiet: values.quiet === true,
    verbose: values.verbose === true,
    debug: values.debug === true,
    color: values['no-color'] !== true,
    input: values['no-input'] !== true,
    yes: values.yes === true,
    timeout: values.timeout as number | undefined,
  };
}
