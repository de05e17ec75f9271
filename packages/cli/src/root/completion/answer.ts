import { Settings } from '../../config/settings.js';
import type { Completes, Flag } from '../../context/flags.js';
import { homeFolder } from '../../io/process-io.js';
import { cachePath, knownOf, readCache } from '../../lists/completion-cache.js';
import type { CommandSpec, Spec } from './spec.js';

type Env = Readonly<Record<string, string | undefined>>;

interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** Lets the shell complete file names. */
const FILES: readonly Candidate[] = [{ value: ':files', about: '' }];

type Line = ReturnType<typeof readLine>;

const namesOf = (commands: readonly CommandSpec[] = []): readonly Candidate[] =>
  commands.map(({ name, summary }) => ({ value: name, about: summary }));

const byName = (all: readonly CommandSpec[] = [], word = ''): CommandSpec | undefined =>
  all.find(({ name, aliases }) => name === word || aliases?.includes(word));

/** A command that passes its words on has no flags but its own. */
const flagsAt = (spec: Spec, { flags: own = [], passThrough }: Partial<CommandSpec> = {}): readonly Flag[] => [
  ...own,
  ...(passThrough ? [] : spec.flags.filter(({ name }) => !own.some((flag) => flag.name === name))),
];

const flagNamed = (flags: readonly Flag[], word: string): Flag | undefined =>
  flags.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`));

function readLine(spec: Spec, words: readonly string[]) {
  let command: CommandSpec | undefined;
  /** A flag that waits for its value. */
  let pending: Flag | undefined;
  const args: string[] = [];
  const given = new Map<string, string>();
  for (const word of words) {
    if (pending !== undefined) {
      given.set(pending.name, word);
      pending = undefined;
    } else if (word.startsWith('-')) {
      const [head = '', ...value] = word.split('=');
      const flag = flagNamed(flagsAt(spec, command), head);
      if (flag === undefined) continue;
      given.set(flag.name, value.join('='));
      if (flag.kind !== 'switch' && value.length === 0) pending = flag;
    } else {
      const inner = byName((command ?? spec).commands, word);
      if (inner === undefined) args.push(word);
      else command = inner;
    }
  }
  return { command, args, given, pending };
}

/** Ids and e-mail addresses are inserted unquoted: they must not contain characters that are special to a shell. */
const SAFE_ID = /^[\w@][\w.@:+-]*$/;
/** Names may contain spaces and punctuation, which are quoted. Other names are shown next to the id, never inserted. */
const SAFE_NAME = /^[\p{L}\p{N}][\p{L}\p{N} .,:?&'_-]*$/u;

const WITHOUT_ORGANIZATION = ['organizations', 'social-accounts', 'tokens'];

const here = (env: Env) => ({ env, cwd: process.cwd(), home: homeFolder(), platform: process.platform });

type Listed = Extract<Completes, { readonly listed: string }>;

/** Rows of recent lists, from the cache: completion uses neither the network nor the keychain. */
function listed(
  { listed: resource, names, states }: Listed,
  { given }: Line,
  env: Env,
  typed: string,
): readonly Candidate[] {
  const io = here(env);
  const settings = new Settings(io, {
    org: given.get('org'),
    profile: given.get('profile'),
    'base-url': given.get('base-url'),
  });
  const service = settings.baseUrl?.value;
  if (service === undefined) return [];
  const { lists, last } = knownOf(readCache(cachePath(io)), service);
  const wanted = settings.organization?.value ?? last;
  const named = (test: (name: string) => boolean) => lists.organizations?.find(([, name]) => test(name))?.[0];
  const organization =
    named((name) => name === wanted) ?? named((name) => name.toLowerCase() === wanted?.toLowerCase()) ?? wanted;
  const all = lists[WITHOUT_ORGANIZATION.includes(resource) ? resource : `${organization}/${resource}`] ?? [];
  const rows = all.filter(([, , , state]) => !state || states?.includes(state) !== false);
  const ids = rows.map(([id, name]) => ({ value: id, about: name }));
  const others = rows.map(([id, name, email]) => ({ value: email || name, about: email ? name : id }));
  return [
    ...ids.filter(({ value }) => SAFE_ID.test(value)),
    ...(names === true || (names === 'typed' && typed !== '')
      ? others.filter(({ value }) => SAFE_ID.test(value) || SAFE_NAME.test(value))
      : []),
  ];
}

const profiles = (env: Env): readonly Candidate[] =>
  Object.entries(new Settings(here(env), {}).config.profiles)
    .filter(([name]) => SAFE_ID.test(name))
    .map(([value, { base_url: about = '' }]) => ({ value, about }));

function valuesFrom(
  source: Completes | undefined,
  spec: Spec,
  line: Line,
  env: Env,
  typed: string,
): readonly Candidate[] {
  if (source === undefined) return [];
  if ('choices' in source) {
    const { choices, orFile = false } = source;
    const isFile = orFile && !choices.some((choice) => choice.startsWith(typed));
    return isFile ? FILES : choices.map((value) => ({ value, about: '' }));
  }
  if ('codes' in source) return spec.codes[source.codes].map(([value, about]) => ({ value, about }));
  if ('listed' in source) return listed(source, line, env, typed);
  if ('byArgument' in source) return valuesFrom(source.byArgument[line.args[0] ?? ''], spec, line, env, typed);
  if ('listedOf' in source) {
    const group = byName(spec.commands, line.args[0])?.name;
    return group !== undefined && source.listedOf.includes(group)
      ? listed({ listed: group, names: 'typed' }, line, env, typed)
      : [];
  }
  if (source.from === 'files') return FILES;
  if (source.from === 'profiles') return profiles(env);
  const [first, second] = line.args;
  if (first !== undefined) return second === undefined ? namesOf(byName(spec.commands, first)?.commands) : [];
  const topics = spec.topics.filter((name) => byName(spec.commands, name) === undefined);
  return [...namesOf(spec.commands), ...topics.map((value) => ({ value, about: 'Help topic' }))];
}

/** Those that start with what is typed after `prefix`, without those in `used`. */
function matching(offer: readonly Candidate[], typed: string, used: readonly string[] = [], prefix = '') {
  if (offer === FILES) return FILES;
  const start = typed.slice(prefix.length).toLowerCase();
  return offer
    .filter(({ value }) => value.toLowerCase().startsWith(start) && !used.includes(value))
    .map(({ value, about }) => ({ value: prefix + value, about }));
}

function candidates(spec: Spec, words: readonly string[], current: string, env: Env): readonly Candidate[] {
  const line = readLine(spec, words);
  const { command, args, given, pending } = line;
  if (command?.passThrough === true && command.flags === undefined) return [];
  const flags = flagsAt(spec, command);
  const equals = current.startsWith('-') ? current.indexOf('=') + 1 : 0;
  const flag = equals > 0 ? flagNamed(flags, current.slice(0, equals - 1)) : undefined;
  const waiting = pending ?? flag;
  if (waiting !== undefined) {
    const start = pending === undefined ? equals : 0;
    // `--sort -view_count`.
    const sign = waiting.name === 'sort' && /^[-+]/.test(current.slice(start)) ? 1 : 0;
    const comma = waiting.kind === 'list' ? current.lastIndexOf(',') + 1 : 0;
    const prefix = current.slice(0, Math.max(start + sign, comma));
    const offer = valuesFrom(waiting.completes, spec, line, env, current.slice(prefix.length));
    return matching(offer, current, prefix.slice(start).split(','), prefix);
  }
  if (current.startsWith('-')) {
    const free = flags.filter(({ name, repeatable }) => repeatable === true || !given.has(name));
    const offer = free.map(({ name, description }) => ({ value: `--${name}`, about: description }));
    return matching(offer, current);
  }
  const { commands } = command ?? spec;
  if (commands !== undefined) return args.length > 0 ? [] : matching(namesOf(commands), current);
  const last = command?.args?.at(-1);
  const argument = command?.args?.[args.length] ?? (last?.variadic === true ? last : undefined);
  return matching(valuesFrom(argument?.completes, spec, line, env, current), current, args);
}

/** bash splits words at COMP_WORDBREAKS: `--status=dr` arrives as three. */
function joinWords(words: readonly string[], breaks: string): string[] {
  const isBreak = (word = ''): boolean => word !== '' && [...word].every((letter) => breaks.includes(letter));
  const joined: string[] = [];
  for (const [index, word] of words.entries()) {
    const joins = index > 0 && (isBreak(word) || isBreak(words[index - 1]));
    joined.push((joins ? (joined.pop() ?? '') : '') + word);
  }
  return joined;
}

/** Without the quotes and backslashes that bash leaves in its words, and fish in the current one. */
const unquote = (word: string): string => word.replaceAll(/\\(.)|['"]/g, '$1');

/** A value within quotes that are still open, or without any. */
function quotedForBash(value: string, quote: string): string {
  if (quote === "'") return value.replaceAll("'", "'\\''");
  return quote === '"' ? value : value.replaceAll(/[\s&'?]/g, '\\$&');
}

/** bash inserts a single candidate. It lists several and inserts only their common prefix, so they can have descriptions. */
function bashLines(offer: readonly Candidate[], typed: string, current: string, env: Env, breaks: string): string[] {
  // bash replaces only the part after the last word break.
  const cut = Math.max(...[...breaks].map((letter) => current.lastIndexOf(letter))) + 1;
  const [quote = ''] = /^['"]/.exec(typed) ?? [];
  const values = offer.map(({ value }) => quotedForBash(value.slice(cut), quote));
  const menu = env.COMP_TYPE === '37' || env.COMP_TYPE === '42';
  // Within quotes, bash would insert the blank before a description that also follows in a longer name.
  if (values.length < 2 || menu || quote !== '') return values;
  const width = Math.max(...values.map(({ length }) => length));
  return values.map((value, index) => {
    const about = offer[index]?.about;
    return about ? `${value.padEnd(width)}  (${about})`.slice(0, Math.max(width, 76)) : value;
  });
}

function lines(spec: Spec, shell: string, given: readonly string[], env: Env): readonly string[] {
  const bash = shell === 'bash';
  const breaks = bash ? (env.COMP_WORDBREAKS ?? '').replaceAll(/[^=:@]/g, '') : '';
  const words = bash ? joinWords(given, breaks) : [...given];
  const typed = words.pop() ?? '';
  // PowerShell drops an empty argument, so its script writes a character before the word.
  const isRaw = bash || shell === 'fish';
  const current = isRaw ? unquote(typed) : shell === 'powershell' ? typed.slice(1) : typed;
  const offer = candidates(spec, bash ? words.map(unquote) : words, current, env);
  if (offer === FILES) return FILES.map(({ value }) => value);
  return bash ? bashLines(offer, typed, current, env, breaks) : offer.map(({ value, about }) => `${value}\t${about}`);
}

/**
 * The candidates for the current word: one per line with its description after a tab (for bash as it is shown), or
 * `:files`.
 * @param argv name of the shell, then the words after `mkt` up to the current one
 */
export function answer(spec: Spec, [shell = '', ...words]: readonly string[], env: Env): string {
  try {
    return lines(spec, shell, words, env)
      .map((line) => `${line}\n`)
      .join('');
  } catch {
    // The next command reports a damaged configuration. A message while the user types would only disturb.
    return '';
  }
}
