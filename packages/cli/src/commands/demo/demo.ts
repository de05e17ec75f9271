import type { Run } from '../../context/command.js';
import { usageError } from '../../errors/cli-error.js';
import { guided } from './guided.js';
import { once } from './once.js';
import { tour } from './tour.js';

export const demo: Run = async (context, { flags }) => {
  const { io, options } = context;
  const { org, profile, baseUrl } = options;
  const named = [org && '--org', profile && '--profile', baseUrl && '--base-url'].find(Boolean);
  if (named) throw usageError(`mkt demo brings its own service and data, so ${named} has no meaning here.`);
  if (flags.once === true) return once(context, tour);
  if (context.interactive && io.stdout.isTTY) return guided(context, tour);
  context.note('There is no terminal to read keys from, so the tour runs by itself.');
  return once(context, tour);
};
