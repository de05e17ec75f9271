import { styleText } from 'node:util';
import type { ResourceName, resources } from '@mkt/sdk/contract/resources';
import { type Io, isOn, type Output } from '../io/io.js';

type Tone = Parameters<typeof styleText>[0];
export type Style = (tone: Tone, text: string) => string;

const plain: Style = (_tone, text) => text;
const colored: Style = (tone, text) => styleText(tone, text, { validateStream: false });

/** Colors for one stream: only on a terminal, unless NO_COLOR, FORCE_COLOR or --no-color override that. */
export function styleFor(output: Output, env: Io['env'], noColor: boolean): Style {
  if (noColor || (env.NO_COLOR ?? '') !== '') return plain;
  if ((env.FORCE_COLOR ?? '') !== '') return isOn(env.FORCE_COLOR) ? colored : plain;
  return output.isTTY && env.TERM !== 'dumb' ? colored : plain;
}

type State = Extract<(typeof resources)[ResourceName], { readonly states: unknown }>['states']['names'][number];

const toneOfState: Readonly<Record<State, Tone>> = {
  active: 'green',
  published: 'green',
  verified: 'green',
  paused: 'yellow',
  pending: 'yellow',
  submitted_for_review: 'yellow',
  failed: 'red',
  draft: 'dim',
  finished: 'dim',
};

/** A state in its color; unknown states are not colored. */
export const styleState = (style: Style, value: unknown, text: string): string => {
  const tone = typeof value === 'string' && Object.hasOwn(toneOfState, value) ? toneOfState[value as State] : undefined;
  return tone === undefined ? text : style(tone, text);
};
