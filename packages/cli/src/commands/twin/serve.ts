import type { Ready } from '@mkt/server/node';
import { Option } from 'commander';
import { hostOf, isLoopback } from '../../config/base-url.js';
import { updateConfig } from '../../config/config-file.js';
import { accountOf, lastFour, writeSecret } from '../../config/credentials.js';
import type { Example } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { usageError } from '../../errors/cli-error.js';
import { serve } from '../../shared/serve.js';

const profileName = 'twin';

/** Stores a profile for the server. One of this name that is for a service elsewhere is left as it is. */
async function storeProfile(context: Context, { url, seeded }: Ready): Promise<void> {
  const { directory, config } = context.settings;
  const earlier = config.profiles[profileName]?.base_url;
  const [organization] = seeded?.dump.tables.organizations ?? [];
  const tokens = Object.entries(seeded?.tokens ?? {});
  const [, token] = tokens.find(([name]) => /_write(_\d+)?$/.test(name)) ?? tokens[0] ?? [];
  if (token === undefined || organization === undefined) return;
  if (earlier !== undefined && !isLoopback(earlier)) {
    context.warn(
      `The profile "${profileName}" is for ${earlier}, so it was not changed. Set MKT_BASE_URL and MKT_TOKEN instead.`,
    );
    return;
  }
  const host = hostOf(url);
  await writeSecret(directory, accountOf(profileName, host), token);
  await updateConfig(directory, ({ profiles }) => {
    profiles[profileName] = {
      base_url: url,
      organization: { id: String(organization.id), name: organization.name },
      storage: 'file',
      token_host: host,
      token_last4: lastFour(token),
    };
  });
  const variable = ['MKT_BASE_URL', 'MKT_TOKEN', 'MKT_TOKEN_FILE', 'MKT_ORG'].find((name) => context.io.env[name]);
  if (variable !== undefined) context.warn(`${variable} is set and overrides the profile. Unset it to reach the twin.`);
  context.note(`To work with the twin: mkt --profile ${profileName} ...`);
}

interface ServeFlags {
  readonly lazy?: boolean;
  readonly org?: string;
  readonly as?: string;
  readonly keepNames?: boolean;
}

const options = [
  new Option(
    '--lazy',
    'Instead of FILE, read each list and each object from the service when it is first needed (GET only)',
  ).conflicts(['db', 'seed', 'ids']),
  new Option('--org <organization>', 'With --lazy: the organization to read, an id or an exact name'),
  new Option('--as <email>', 'With --lazy: the member whose tokens the copy has: you'),
  new Option('--keep-names', 'With --lazy: keep names, e-mail addresses and postal addresses of people'),
];

/** Serves the file that precedes the flags of the server, or with `--lazy` the service itself. */
export async function serveTwin(
  context: Context,
  argv: readonly string[],
  examples: readonly Example[],
): Promise<void> {
  const [file = '', ...flags] = argv;
  const isLazy = argv.includes('--lazy');
  const hasFile = file !== '' && !file.startsWith('-');
  const wantsHelp = argv.some((word) => word === '--help' || word === '-h');
  if (isLazy && hasFile)
    throw usageError('--lazy reads from the service, so it takes no file.', 'mkt twin serve --lazy');
  if (!hasFile && !isLazy && !wantsHelp) throw usageError('No file was given.', 'mkt twin serve brand.twin');
  await serve<ServeFlags>('mkt twin serve', hasFile ? ['--seed', file, ...flags] : argv, context.io, examples, {
    extend(command) {
      command.description('Serve the copy of an organization on this machine').usage('[FILE] [flags]');
      for (const option of options) command.addOption(option);
    },
    seed: async ({ lazy, org, as, keepNames }) => {
      if (lazy !== true) return undefined;
      // Without the spinners that show that mkt waits: a server runs in the background.
      const quiet = { ...context.options, quiet: true, ...(org !== undefined && { org }) };
      const { lazySeed } = await import('./lazy.js');
      return lazySeed(context.derived(context.io, quiet), { as, 'keep-names': keepNames });
    },
    onReady: (ready) => storeProfile(context, ready),
  });
}
