import type { Ready } from '@mkt/server/node';
import { serve } from '../../api/serve.js';
import type { Example } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { toType, usageError } from '../../errors/cli-error.js';

function printVariables({ io }: Context, { url, seeded }: Ready): void {
  const tokens = Object.entries(seeded?.tokens ?? {});
  const [, token] = tokens.find(([name]) => /_write(_\d+)?$/.test(name)) ?? tokens[0] ?? [];
  io.stderr.stream.write(`MKT_BASE_URL=${url}\n${token === undefined ? '' : `MKT_TOKEN=${token}\n`}`);
}

/** Serves the file that precedes the flags of the server. */
export async function serveTwin(
  context: Context,
  argv: readonly string[],
  examples: readonly Example[],
): Promise<void> {
  const [file = '', ...flags] = argv;
  const hasFile = file !== '' && !file.startsWith('-');
  const wantsHelp = argv.some((word) => word === '--help' || word === '-h');
  if (!hasFile && !wantsHelp) throw usageError('No file was given.', toType('mkt twin serve brand.twin'));
  await serve('mkt twin serve', hasFile ? ['--seed', file, ...flags] : argv, context.io, examples, {
    extend: (command) => command.description('Serve the copy of an organization on this machine').usage('FILE [flags]'),
    onReady: async (ready) => printVariables(context, ready),
  });
}
