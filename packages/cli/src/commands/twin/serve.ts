import type { Ready } from '@mkt/server/node';
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

/** Serves the file that precedes the flags of the server. */
export async function serveTwin(
  context: Context,
  argv: readonly string[],
  examples: readonly Example[],
): Promise<void> {
  const [file, ...flags] = argv;
  if (file === undefined) throw usageError('No file was given.', 'mkt twin serve brand.twin');
  if (file.startsWith('-')) return serve('mkt twin serve', argv, context.io, examples);
  await serve('mkt twin serve', ['--seed', file, ...flags], context.io, examples, (ready) =>
    storeProfile(context, ready),
  );
}
