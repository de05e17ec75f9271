// Man pages from the data of the commands: mkt.1, and one page for each group.
import { fromSource } from '../../scripts/lib/from-source.mjs';

const sources = [
  ...['context/command', 'root/commands', 'context/flags', 'api/field-flags', 'fields/flags-of'],
  'root/help/topics',
].map((name) => `packages/cli/src/${name}.ts`);

const text = (words) => words.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/gm, '\\&$&');
const bold = (words) => `\\fB${text(words)}\\fR`;
const quoted = (words) => `"${text(words).replaceAll('"', '\\(dq')}"`;
const block = (lines) => (lines.length === 0 ? [] : ['.nf', '.RS', ...lines.map(text), '.RE', '.fi']);
const afterBlank = (lines) => (lines.length === 0 ? [] : ['.sp', ...lines]);
const item = (term, description) => ['.TP', term, text(description)];

const argument = ({ name, required, variadic }) => {
  const inner = variadic ? `${name}...` : name;
  return required ? `<${inner}>` : `[${inner}]`;
};

const flagItems = (flags) =>
  flags
    .filter(({ hidden }) => !hidden)
    .flatMap(({ name, short, kind, value = 'value', description, required }) => {
      const long = kind === 'boolean' ? `--[no-]${name}` : `--${name}`;
      const takes = kind === 'switch' || kind === 'boolean' ? '' : ` \\fI${text(value)}\\fR`;
      const term = `${short ? `${bold(`-${short}`)}, ` : ''}${bold(long)}${takes}`;
      return item(term, `${description}.${required ? ' Required.' : ''}`.replace('..', '.'));
    });

async function commandPart(path, command, { flagsOf, fieldNames }) {
  const flags = await flagsOf(command);
  const { summary, args = [], aliases = [], notes = [], examples, sample, prints } = command;
  const usage = ['mkt', path, ...args.map(argument), ...(flags.length > 0 ? ['[flags]'] : [])].join(' ');
  const fields = prints ? fieldNames(prints) : [];
  return [
    `.SS ${quoted(usage)}`,
    text(`${summary}.${aliases.length > 0 ? ` Also: ${aliases.join(', ')}.` : ''}`),
    ...args.flatMap((each) => item(bold(argument(each)), each.description)),
    ...flagItems(flags),
    ...notes.flatMap((note) => ['.PP', text(note)]),
    ...(fields.length > 0 ? ['.PP', text(`Fields for --fields: ${fields.join(', ')}.`)] : []),
    ...afterBlank(block(examples.flatMap(({ line, about }) => [...(about ? [`# ${about}`] : []), line]))),
    ...(sample ? ['.PP', text(`A ${sample.name}:`), ...afterBlank(block(sample.lines))] : []),
  ];
}

const topicPart = ({ name, summary, sections }) => [
  `.SH ${quoted(name.replaceAll('-', ' ').toUpperCase())}`,
  text(`${summary}.`),
  ...sections.flatMap(({ title, text: paragraphs, entries, lines }) => [
    `.SS ${quoted(title)}`,
    ...paragraphs.map(text),
    ...entries.flatMap(([term, description]) => item(bold(term), description)),
    ...(paragraphs.length + entries.length > 0 ? afterBlank(block(lines)) : block(lines)),
  ]),
];

const head = (name, about, usage, { version, date }) => [
  `.TH ${quoted(name.toUpperCase())} 1 "${date}" ${quoted(`mkt ${version}`)} "User Commands"`,
  '.SH NAME',
  `${text(name)} \\- ${text(about)}`,
  '.SH SYNOPSIS',
  `${bold(usage)} \\fI<command>\\fR [\\fIflags\\fR]`,
];

const seeAlso = (names) => ['.SH "SEE ALSO"', names.map((name) => `${bold(name)}(1)`).join(',\n')];

/**
 * @param {{ version: string, date: string }} release
 * @returns {Promise<Map<string, string>>} The pages by their file names.
 */
export async function manPages(release) {
  const cli = await fromSource(...sources);
  const groups = cli.commands.filter(cli.isGroup);
  const pageOf = ({ name }) => `mkt-${name}`;
  const pages = new Map();
  const write = (name, lines) => pages.set(`${name}.1`, `${lines.join('\n')}\n`);
  const main = [
    ...head('mkt', 'the Brand and Creator Marketplace at the command line', 'mkt', release),
    '.SH "GROUPS OF COMMANDS"',
    ...groups.flatMap((group) => item(`${bold(pageOf(group))}(1)`, `${group.summary}.`)),
    '.SH COMMANDS',
  ];
  for (const command of cli.commands.filter((node) => !cli.isGroup(node)))
    main.push(...(await commandPart(command.name, command, cli)));
  main.push('.SH "GLOBAL FLAGS"', ...flagItems(cli.globalFlags), ...cli.topics.flatMap(topicPart));
  write('mkt', [...main, ...seeAlso(groups.map(pageOf))]);
  for (const group of groups) {
    const { name, summary, aliases = [] } = group;
    const about = summary[0].toLowerCase() + summary.slice(1);
    const page = head(pageOf(group), about, `mkt ${name}`, release);
    if (aliases.length > 0) page.push('.PP', text(`Also: ${aliases.map((alias) => `mkt ${alias}`).join(', ')}.`));
    page.push('.SH COMMANDS');
    for (const command of group.commands()) page.push(...(await commandPart(`${name} ${command.name}`, command, cli)));
    write(pageOf(group), [...page, ...seeAlso(['mkt'])]);
  }
  return pages;
}
