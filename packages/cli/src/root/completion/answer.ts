import { homeFolder } from '../../io/process-io.js';
import { type Candidate, candidates, type Offer } from './candidates.js';
import { localValues } from './local.js';
import type { Spec } from './spec.js';

type Env = Readonly<Record<string, string | undefined>>;

/** What bash reads as one word and hands over in pieces: `--status=dr` is three, by COMP_WORDBREAKS. */
function gluedWords(words: readonly string[], breaks: string): string[] {
  const glue = (word: string): boolean => word !== '' && [...word].every((letter) => breaks.includes(letter));
  const whole: string[] = [];
  let open = false;
  for (const word of words) {
    const joins = glue(word) && whole.length > 0;
    if (joins || open) whole.push((whole.pop() ?? '') + word);
    else whole.push(word);
    open = joins;
  }
  return whole;
}

/** As it was meant: without the quotes and backslashes that bash leaves in its words. */
const bare = (word: string): string => word.replaceAll(/\\(.)|['"]/g, '$1');

/** One candidate is typed as it is; of several bash shows the list, which may say more, and types what they share. */
function bashLines(offer: readonly Candidate[], typed: string, current: string, env: Env, breaks: string): string[] {
  // bash replaces what follows the last break, so that much is left out.
  const cut = Math.max(...[...breaks].map((letter) => current.lastIndexOf(letter))) + 1;
  const quoted = /^['"]/.test(typed);
  const values = offer.map(({ value }) => {
    const rest = value.slice(cut);
    return quoted ? rest : rest.replaceAll(/[\s&]/g, '\\$&');
  });
  const menu = env.COMP_TYPE === '37' || env.COMP_TYPE === '42';
  if (values.length < 2 || menu) return values;
  const width = Math.max(...values.map(({ length }) => length));
  return values.map((value, index) => {
    const about = offer[index]?.about ?? '';
    return about === '' ? value : `${value.padEnd(width)}  (${about})`.slice(0, Math.max(width, 76));
  });
}

function lines(spec: Spec, shell: string, given: readonly string[], env: Env): string[] {
  const breaks = shell === 'bash' ? (env.COMP_WORDBREAKS ?? '').replaceAll(/[^=:@]/g, '') : '';
  const words = shell === 'bash' ? gluedWords(given, breaks) : [...given];
  const typed = words.pop() ?? '';
  // PowerShell drops an empty argument, so its script writes a sign before the word.
  const current = shell === 'bash' ? bare(typed) : shell === 'powershell' ? typed.slice(1) : typed;
  const before = shell === 'bash' ? words.map(bare) : words;
  const local = localValues({
    env,
    cwd: process.cwd(),
    home: homeFolder(),
    platform: process.platform,
  });
  const offer: Offer = candidates(spec, before, current, local);
  if (offer === 'files') return [':files'];
  return shell === 'bash'
    ? bashLines(offer, typed, current, env, breaks)
    : offer.map(({ value, about }) => `${value}\t${about}`);
}

/**
 * Answers a shell that asks what can stand at the cursor: one candidate on each line, with what it is after a tab (in
 * bash as it is shown), or `:files`.
 * @param argv name of the shell, then the words after `mkt` up to the current one
 */
export function answer(spec: Spec, [shell = '', ...words]: readonly string[], env: Env): string {
  let found: readonly string[];
  try {
    found = lines(spec, shell, words, env);
  } catch {
    // A broken configuration is told by the next command; in the middle of typing a message would only be in the way.
    found = [];
  }
  return found.map((line) => `${line}\n`).join('');
}
