import { FORMATS } from '../config/format.js';
import type { Flag, FlagValues } from './command.js';

/** The flags that every command takes. */
export const globalFlags = [
  {
    name: 'org',
    kind: 'text',
    value: 'ID|NAME',
    description: 'Organization to work in (MKT_ORG)',
    completes: { listed: 'organizations', names: true },
  },
  {
    name: 'profile',
    kind: 'text',
    value: 'NAME',
    description: 'Stored sign-in to use (MKT_PROFILE)',
    completes: { from: 'profiles' },
  },
  { name: 'base-url', kind: 'text', value: 'URL', description: 'Address of the service (MKT_BASE_URL)' },
  { name: 'format', kind: 'text', value: 'FORMAT', choices: FORMATS, description: `Output: ${FORMATS.join(', ')}` },
  { name: 'json', kind: 'switch', description: 'The same as --format json' },
  { name: 'fields', kind: 'list', value: 'A,B', description: 'Only these fields, in this order' },
  { name: 'jq', kind: 'text', value: 'EXPR', description: 'Filter the JSON with a jq expression' },
  { name: 'no-header', kind: 'switch', description: 'Leave the header out of table, csv and tsv' },
  { name: 'quiet', short: 'q', kind: 'switch', description: 'No receipts, footers or progress' },
  { name: 'verbose', short: 'v', kind: 'switch', description: 'Say what is requested' },
  { name: 'debug', kind: 'switch', description: 'Headers and stack traces too; secrets are masked (MKT_DEBUG)' },
  { name: 'no-color', kind: 'switch', description: 'No colour (NO_COLOR)' },
  { name: 'no-input', kind: 'switch', description: 'Never ask anything (MKT_NO_INPUT)' },
  { name: 'yes', short: 'y', kind: 'switch', description: 'Answer yes to every confirmation' },
  { name: 'timeout', kind: 'seconds', value: 'SECONDS', description: 'Give up on a request after this long' },
] as const satisfies readonly Flag[];

export type GlobalOptions = FlagValues<typeof globalFlags>;
