import { type Command, isGroup } from '../../src/context/command.js';
import { type Flag, globalFlags } from '../../src/context/flags.js';
import { exitCodeMeanings } from '../../src/errors/cli-error.js';
import { commands } from '../../src/root/commands.js';
import { flagsOf } from '../../src/shared/fields/flags-of.js';

const flagLine = ({ name, short, kind, choices, required }: Flag): string =>
  [
    kind === 'boolean' ? `--[no-]${name}` : `--${name}`,
    ...(short === undefined ? [] : [`-${short}`]),
    kind,
    ...(choices === undefined ? [] : [choices.join('|')]),
    ...(required === true ? ['required'] : []),
  ].join(' ');

async function leafLines(path: string, leaf: Command): Promise<string[]> {
  const args = (leaf.args ?? []).map(
    ({ name, required, variadic }) => `${required ? '<' : '['}${name}${variadic === true ? '...' : ''}`,
  );
  const { fieldNames } = await import('../../src/api/field-flags.js');
  return [
    ['mkt', path, ...args].join(' '),
    ...(await flagsOf(leaf)).map((flag) => `mkt ${path} ${flagLine(flag)}`),
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
  for (const flag of globalFlags) lines.push(`global ${flagLine(flag)}`);
  for (const [code] of exitCodeMeanings) lines.push(`exit ${code}`);
  return lines;
}
