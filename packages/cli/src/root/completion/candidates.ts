import type { Completes } from '../../context/command.js';
import type { CommandSpec, FlagSpec, Spec } from './spec.js';

export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** What the words before the current one say. */
interface Place {
  readonly command: CommandSpec | undefined;
  readonly args: readonly string[];
  readonly given: ReadonlyMap<string, string>;
  /** A flag that waits for its value. */
  readonly pending: FlagSpec | undefined;
}

/** Values that are known only on this machine. */
export interface Local {
  readonly listed: (noun: string, other: boolean, given: ReadonlyMap<string, string>) => readonly Candidate[];
  readonly profiles: () => readonly Candidate[];
}

/** What to offer, or `files`: the shell knows those best. */
export type Offer = readonly Candidate[] | 'files';

const named = (all: readonly CommandSpec[], word: string): CommandSpec | undefined =>
  all.find(({ name, aliases }) => name === word || aliases?.includes(word));

const flagsAt = (spec: Spec, command: CommandSpec | undefined): readonly FlagSpec[] => {
  const own = command?.flags ?? [];
  return [...own, ...spec.flags.filter(({ name }) => !own.some((flag) => flag.name === name))];
};

const flagNamed = (flags: readonly FlagSpec[], word: string): FlagSpec | undefined =>
  flags.find(({ name, short }) => word === `--${name}` || (short !== undefined && word === `-${short}`));

function placeOf(spec: Spec, words: readonly string[]): Place {
  let command: CommandSpec | undefined;
  let pending: FlagSpec | undefined;
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
      if (flag.takesValue && value.length === 0) pending = flag;
    } else {
      const inner = command === undefined ? spec.commands : command.commands;
      const next = inner === undefined ? undefined : named(inner, word);
      if (next !== undefined) command = next;
      else args.push(word);
    }
  }
  return { command, args, given, pending };
}

const asCandidates = (commands: readonly CommandSpec[]): Candidate[] =>
  commands.map(({ name, about }) => ({ value: name, about }));

function helpWords(spec: Spec, args: readonly string[]): readonly Candidate[] {
  const [first] = args;
  if (first === undefined) {
    const own = spec.topics.filter((name) => named(spec.commands, name) === undefined);
    return [...asCandidates(spec.commands), ...own.map((value) => ({ value, about: 'A topic' }))];
  }
  return args.length === 1 ? asCandidates(named(spec.commands, first)?.commands ?? []) : [];
}

/**
 * What can stand where the current word is.
 * @param words those before it, without `mkt`
 * @param current what is typed of it
 */
export function candidates(spec: Spec, words: readonly string[], current: string, local: Local): Offer {
  const { command, args, given, pending } = placeOf(spec, words);
  if (command?.passThrough === true) return [];
  const valuesFrom = (source: Completes | undefined): Offer => {
    if (source === undefined) return [];
    if ('choices' in source) return source.choices.map((value) => ({ value, about: '' }));
    if ('listed' in source) return local.listed(source.listed, source.names === true, given);
    if ('listedOf' in source) {
      const group = named(spec.commands, args[0] ?? '')?.name;
      return group !== undefined && source.listedOf.includes(group) ? local.listed(group, false, given) : [];
    }
    if (source.from === 'files') return 'files';
    return source.from === 'profiles' ? local.profiles() : helpWords(spec, args);
  };
  const startingWith = (offer: Offer, start: string): Offer =>
    offer === 'files' ? offer : offer.filter(({ value }) => value.toLowerCase().startsWith(start.toLowerCase()));
  const before = (offer: Offer, prefix: string): Offer =>
    offer === 'files' ? offer : offer.map(({ value, about }) => ({ value: prefix + value, about }));
  const valueFor = (flag: FlagSpec, typed: string): Offer => {
    const prefix = flag.list === true ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
    const taken = prefix.split(',');
    const offer = startingWith(valuesFrom(flag.completes), typed.slice(prefix.length));
    return before(offer === 'files' ? offer : offer.filter(({ value }) => !taken.includes(value)), prefix);
  };
  if (pending !== undefined) return valueFor(pending, current);
  const flags = flagsAt(spec, command);
  if (current.startsWith('-')) {
    const equals = current.indexOf('=');
    if (equals < 0) {
      const free = flags.filter(({ name, repeatable }) => repeatable === true || !given.has(name));
      return startingWith(
        free.map(({ name, about }) => ({ value: `--${name}`, about })),
        current,
      );
    }
    const flag = flagNamed(flags, current.slice(0, equals));
    if (flag?.takesValue !== true) return [];
    return before(valueFor(flag, current.slice(equals + 1)), current.slice(0, equals + 1));
  }
  const inner = command === undefined ? spec.commands : command.commands;
  if (inner !== undefined) return args.length > 0 ? [] : startingWith(asCandidates(inner), current);
  const places = command?.args ?? [];
  const last = places.at(-1);
  const place = places[args.length] ?? (last?.variadic === true ? last : undefined);
  const offer = startingWith(valuesFrom(place?.completes), current);
  return offer === 'files' ? offer : offer.filter(({ value }) => !args.includes(value));
}
