// docs/cli.md: the commands of `mkt` from the same data that its help is written from.
import { fromSource } from '../lib/from-source.mjs';
import { cell, fence, table } from '../lib/markdown.mjs';

export const output = 'docs/cli.md';
export const readsOutputs = true;

const sources = [
  ...['context/command', 'root/commands', 'context/flags', 'api/field-flags', 'fields/flags-of'],
  'root/help/topics',
].map((name) => `packages/cli/src/${name}.ts`);

const code = (lines) => fence('sh', lines);

const argument = ({ name, required, variadic }) => {
  const inner = variadic ? `${name}...` : name;
  return required ? `<${inner}>` : `[${inner}]`;
};

const flagRows = (flags) =>
  flags
    .filter(({ hidden }) => !hidden)
    .map(({ name, short, kind, value, description, required }) => {
      const long = kind === 'boolean' ? `--[no-]${name}` : `--${name}`;
      const takes = value === undefined || kind === 'switch' || kind === 'boolean' ? '' : ` ${value}`;
      const spelled = `\`${short ? `-${short}, ` : ''}${long}${takes.replaceAll('|', '\\|')}\``;
      return [spelled, `${cell(description)}${required ? ' (required)' : ''}`];
    });

const topicPart = ({ name, summary, sections }) => [
  `### ${name}`,
  '',
  `${cell(summary)}.`,
  '',
  ...sections.flatMap(({ title, text, entries, lines }) => [
    `**${title}**`,
    '',
    ...text.flatMap((paragraph) => [cell(paragraph), '']),
    ...table(
      ['', ''],
      entries.map(([left, right]) => [`\`${left}\``, cell(right)]),
    ),
    ...code(lines),
  ]),
];

async function leafPart(path, leaf, { flagsOf, fieldNames }) {
  const flags = await flagsOf(leaf);
  const fields = leaf.prints ? [...fieldNames(leaf.prints), ...(leaf.computed ?? [])] : [];
  const usage = ['mkt', path, ...(leaf.args ?? []).map(argument), ...(flags.length > 0 ? ['[flags]'] : [])].join(' ');
  return [
    `### mkt ${path}`,
    '',
    `${cell(leaf.summary)}.${leaf.aliases ? ` Also: ${leaf.aliases.join(', ')}.` : ''}`,
    '',
    ...fence('text', [usage]),
    ...table(
      ['Argument', ''],
      (leaf.args ?? []).map((each) => [`\`${argument(each)}\``, cell(each.description)]),
    ),
    ...table(['Flag', ''], flagRows(flags)),
    ...(leaf.notes ?? []).flatMap((note) => [cell(note), '']),
    'Examples:',
    '',
    ...code(leaf.examples.flatMap(({ line, about }) => [...(about ? [`# ${about}`] : []), line])),
    ...(leaf.sample
      ? [`A \`${leaf.sample.name}\`:`, '', ...fence(leaf.sample.name.split('.').at(-1), leaf.sample.lines)]
      : []),
    ...(fields.length > 0 ? [`Fields for \`--fields\`: ${fields.join(', ')}.`, ''] : []),
  ];
}

export async function generate() {
  const cli = await fromSource(...sources);
  const single = cli.commands.filter((command) => !cli.isGroup(command));
  const parts = [];
  for (const group of cli.commands.filter(cli.isGroup)) {
    parts.push(`## mkt ${group.name}`, '', `${group.summary}.${group.aliases ? ` Also: ${group.aliases}.` : ''}`, '');
    for (const leaf of group.commands()) parts.push(...(await leafPart(`${group.name} ${leaf.name}`, leaf, cli)));
  }
  parts.push('## Commands of one word', '');
  for (const leaf of single) parts.push(...(await leafPart(leaf.name, leaf, cli)));
  return [
    '<!-- Generated from the data of the commands by `npm run generate`. Do not edit. -->',
    '',
    '# mkt: every command',
    '',
    'What `mkt help` says of each command. The [introduction](../packages/cli/README.md) begins with signing in.',
    '',
    '## Global flags',
    '',
    ...table(['Flag', ''], flagRows(cli.globalFlags)),
    '## Topics',
    '',
    'Each is there as `mkt help TOPIC`.',
    '',
    ...cli.topics.flatMap(topicPart),
    ...parts,
  ];
}
