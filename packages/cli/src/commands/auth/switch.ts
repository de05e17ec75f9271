import { updateConfig } from '../../config/config-file.js';
import type { Run } from '../../context/command.js';
import { usageError } from '../../errors/cli-error.js';

export const switchProfile: Run = async (context, { args: [wanted] }) => {
  const { settings } = context;
  const { profiles } = settings.config;
  const names = Object.keys(profiles);
  if (names.length === 0) throw usageError('No profile is stored yet.', 'mkt login --profile NAME');
  const choices = names.map((name) => ({ value: name, label: name, hint: profiles[name]?.base_url ?? '' }));
  const name = wanted ?? (await (await context.prompter())?.select('Which profile?', choices));
  if (name === undefined)
    throw usageError('Name the profile to switch to.', ...names.map((each) => `mkt auth switch ${each}`));
  if (!Object.hasOwn(profiles, name)) {
    throw usageError(
      `There is no profile "${name}".`,
      `Profiles: ${names.join(', ')}`,
      `To make it: mkt login --profile ${name}`,
    );
  }
  await updateConfig(settings.directory, (config) => {
    config.active = name;
  });
  const { base_url: baseUrl, organization } = profiles[name] ?? {};
  const place = organization === undefined ? '' : `, in ${organization.name ?? `organization ${organization.id}`}`;
  context.note(`Now using profile "${name}": ${baseUrl ?? 'no address'}${place}.`);
  if (context.io.env.MKT_PROFILE)
    context.warn(`MKT_PROFILE is set to ${context.io.env.MKT_PROFILE} and goes before this.`);
};
