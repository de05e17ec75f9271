import type { PartialSeed } from './create.js';

type SeedName = 'demo' | 'empty' | 'large';
type SeedContent = Readonly<Record<string, unknown>> & { readonly extends?: undefined };

/**
 * `demo`, `empty`, `large`, the text of a seed file (YAML or JSON), the content of such a file as an object, or additions to
 * one of the first three: `{ extends: 'demo', campaigns: [{ organization: 5, status: 'finished' }] }`.
 */
export type SeedSource = SeedName | `${string}:${string}` | PartialSeed | SeedContent;

/** The same, or a text that is only known at run time. */
export type AnySeed = SeedSource | string;

/** The type of a parameter whose text is `Text`: a misspelt name does not compile. The union makes editors complete it. */
export type CheckedSeed<Text extends string> = SeedSource | (Text & (string extends Text ? unknown : never));
