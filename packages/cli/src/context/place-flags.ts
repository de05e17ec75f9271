import { quoted } from '../text/quoted.js';
import type { FlagValues, GlobalOptions } from './flags.js';

interface WithOptions {
  readonly options: GlobalOptions;
}

/** A flag as it is typed. */
export const words = (name: string, value: unknown): string[] => {
  if (value === undefined || value === false) return [];
  if (value === true) return [`--${name}`];
  // A cleared field.
  if (value === null || (Array.isArray(value) && value.length === 0)) return [`--${name}`, 'none'];
  return [`--${name}`, quoted(Array.isArray(value) ? value.join(',') : String(value))];
};

const joined = (flags: FlagValues): string =>
  Object.entries(flags)
    .flatMap(([name, value]) => words(name, value).map((word) => ` ${word}`))
    .join('');

/** The flags that chose the service, for hints with another command. */
export const serviceFlags = ({ options }: WithOptions): string =>
  joined({ profile: options.profile, 'base-url': options['base-url'] });

/** The flags that chose the organization and the service, for hints with another command. */
export const placeFlags = (context: WithOptions): string =>
  joined({ org: context.options.org, 'all-orgs': context.options['all-orgs'] }) + serviceFlags(context);
