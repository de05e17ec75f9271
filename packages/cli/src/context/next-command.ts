import { quoted } from '../text/quoted.js';
import type { Invocation } from './command.js';
import type { Context } from './context.js';
import type { FlagValues } from './flags.js';

const words = (name: string, value: unknown): string[] => {
  if (value === undefined || value === false) return [];
  if (value === true) return [`--${name}`];
  // A cleared field.
  if (value === null || (Array.isArray(value) && value.length === 0)) return [`--${name}`, 'none'];
  return [`--${name}`, quoted(Array.isArray(value) ? value.join(',') : String(value))];
};

/** The values one by one if the flag has to be repeated for each. */
const separately = ({ command }: Invocation, name: string, value: unknown): readonly unknown[] =>
  Array.isArray(value) && command.flags?.some((flag) => flag.name === name && flag.repeatable === true)
    ? value
    : [value];

/** The same command with other flags, ready to be typed: `mkt campaigns list --org 5 --page 2`. */
export function commandWith(invocation: Invocation, { options }: Context, change: FlagValues): string {
  const { path, args, flags } = invocation;
  const { org, 'all-orgs': every, profile, 'base-url': baseUrl } = options;
  const place = { org, 'all-orgs': every, profile, 'base-url': baseUrl };
  const given = Object.entries({ ...place, ...flags, ...change }).flatMap(([name, value]) =>
    separately(invocation, name, value).flatMap((each) => words(name, each)),
  );
  return ['mkt', path, ...args.map(quoted), ...given].join(' ');
}

const joined = (flags: FlagValues): string =>
  Object.entries(flags)
    .flatMap(([name, value]) => words(name, value).map((word) => ` ${word}`))
    .join('');

/** The flags that chose the service, for hints with another command. */
export const serviceFlags = ({ options }: Pick<Context, 'options'>): string =>
  joined({ profile: options.profile, 'base-url': options['base-url'] });

/** The flags that chose the organization and the service, for hints with another command. */
export const placeFlags = (context: Pick<Context, 'options'>): string =>
  joined({ org: context.options.org, 'all-orgs': context.options['all-orgs'] }) + serviceFlags(context);
