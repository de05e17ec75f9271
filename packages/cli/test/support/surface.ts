import { type Command, isGroup } from '../../src/context/command.js';
import { type Flag, globalFlags } from '../../src/context/flags.js';
import { exitCodeMeanings } from '../../src/errors/cli-error.js';
import { flagsOf } from '../../src/fields/flags-of.js';
import { commands } from '../../src/root/commands.js';

/** A flag, then a line for each of its choices: a new choice adds a line and changes none. */
const flagLines = ({ name, short, kind, choices = [], required }: Flag): string[] => {
  const flag = kind === 'boolean' ? `--[no-]${name}` : `--${name}`;
  const parts = [flag, ...(short === undefined ? [] : [`-${short}`]), kind, ...(required === true ? ['required'] : [])];
  return [parts.join(' '), ...choices.map((choice) => `${flag}=${choice}`)];
};

async function leafLines(path: string, leaf: Command): Promise<string[]> {
  const args = (leaf.args ?? []).map(
    ({ name, required, variadic }) => `${required ? '<' : '['}${name}${variadic === true ? '...' : ''}`,
  );
  const { fieldNames } = await import('../../src/api/field-flags.js');
  return [
    ['mkt', path, ...args].join(' '),
    ...(await flagsOf(leaf)).flatMap(flagLines).map((line) => `mkt ${path} ${line}`),
    ...(leaf.prints ? fieldNames(leaf.prints).map((field) => `mkt ${path} json ${field}`) : []),
  ];
}

/** Everything that scripts rely on, a line each: commands, arguments, flags, JSON fields, exit codes. */
export async function surface(): Promise<string[]> {
  const lines: string[] = [];
  for (const command of commands) {
    if (isGroup(command)) {
      for (const alias of command.aliases ?? []) lines.push(`alias ${alias} ${command.name}`);
      for (const leaf of command.commands()) lines.push(...(await leafLines(`${command.name} ${leaf.name}`, leaf)));
    } else lines.push(...(await leafLines(command.name, command)));
  }
  for (const line of globalFlags.flatMap(flagLines)) lines.push(`global ${line}`);
  for (const [code] of exitCodeMeanings) lines.push(`exit ${code}`);
  return lines;
}
