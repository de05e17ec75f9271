import { quoted } from '../text/quoted.js';
import type { Invocation } from './command.js';
import type { Context } from './context.js';
import type { FlagValues } from './flags.js';
import { words } from './place-flags.js';

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
