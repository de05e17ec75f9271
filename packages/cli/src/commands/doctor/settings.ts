import { NOWHERE } from '../../config/nowhere.js';
import { Settings } from '../../config/settings.js';
import type { Context } from '../../context/context.js';
import { CliError } from '../../errors/cli-error.js';
import { type Check, failedBy, ok, skipped } from './check.js';

/** The settings that the rest of the examination works with. */
export interface Ground {
  readonly settings: Settings;
  /** Why the profile takes no part; flags and variables are looked at all the same. */
  readonly withoutProfile: string | undefined;
  /** Why `.mkt.json` takes no part. */
  readonly withoutProject: string | undefined;
}

/** What a check of one setting gives, and the failure where it cannot be read. */
function settingCheck(check: string, read: () => string): Check {
  try {
    return ok(check, read());
  } catch (error) {
    if (error instanceof CliError) return failedBy(check, error);
    throw error;
  }
}

/** Which settings can be read at all, once the files were looked at. Nothing that is broken is read again. */
export function groundFor(context: Context, broken: { readonly config: boolean; readonly project: boolean }): Ground {
  const { io, options } = context;
  const cwd = broken.project ? undefined : io.cwd;
  const withoutProject = broken.project ? 'the project file cannot be read' : undefined;
  const without = (reason: string): Ground => ({
    settings: new Settings(
      { ...io, cwd, env: { ...io.env, MKT_CONFIG_DIR: NOWHERE, MKT_PROFILE: undefined } },
      { ...options, profile: undefined },
    ),
    withoutProfile: reason,
    withoutProject,
  });
  if (broken.config) return without('the config file cannot be read');
  const settings = new Settings({ ...io, cwd }, options);
  try {
    settings.profile;
  } catch (error) {
    if (error instanceof CliError) return without('there is no such profile');
    throw error;
  }
  return { settings, withoutProfile: undefined, withoutProject };
}

/** The profile in use and what named it. */
export function profileCheck({ settings }: Context, { withoutProfile }: Ground, configIsBroken: boolean): Check {
  const check = 'profile';
  if (configIsBroken) return skipped(check, `${withoutProfile}`);
  return settingCheck(check, () => {
    const { profile, profileName } = settings;
    if (profile === undefined) return 'none stored yet';
    return `${profileName.value} (from ${profileName.origin})`;
  });
}

/** The address of the service and what decided it. */
export function serviceCheck({ settings, withoutProfile }: Ground): Check {
  const check = 'service';
  if (withoutProfile !== undefined && settings.baseUrl === undefined) return skipped(check, withoutProfile);
  return settingCheck(check, () => `${settings.requiredBaseUrl} (from ${settings.baseUrl?.origin})`);
}

/** The output format and what decided it. */
export const formatCheck = ({ settings }: Ground): Check =>
  settingCheck('format', () => `${settings.format.value} (from ${settings.format.origin})`);
