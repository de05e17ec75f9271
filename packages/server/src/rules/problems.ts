import { type FieldProblem, problemText } from '@mkt/sdk/contract';

/** Sentences that begin with the name of the field, without it and without a period. */
const ofFields = {
  required: 'is required',
  locked: 'cannot be changed after publication. Leave it out of the request',
  too_large_escaped: 'must be at most 64 KiB long after its special characters are escaped',
  account_taken: 'is already connected, by you or by another user',
  not_file: 'must be sent as a file in a multipart request',
  image_too_large: 'must be at most 5 MiB',
  too_many_pixels: 'must have at most 50 million pixels',
  not_image: 'must be a whole PNG, JPEG, WebP or GIF image',
} as const;

const sentences = {
  needs_logo: 'A private organization needs a logo. Upload one, or choose another privacy setting.',
  only_member: 'You are the only member of this organization and cannot leave it. Delete the organization instead.',
  funded: 'A campaign with funding cannot be deleted.',
  has_submissions: 'A collab with approved submissions cannot be deleted.',
  has_subscription: 'An organization with an active subscription cannot be deleted. Cancel the subscription first.',
} as const;

/** Why a request is invalid: a code, and what its sentence says. */
export type Problem =
  | FieldProblem
  | { readonly code: keyof typeof ofFields | keyof typeof sentences }
  /** Codes that do not exist. */
  | {
      readonly code: 'unknown_code';
      readonly kind: 'currency' | 'country';
      readonly isList: boolean;
      readonly values: readonly unknown[];
    }
  /** An amount beyond another field's. */
  | {
      readonly code: 'out_of_range';
      readonly bound: 'at least' | 'at most';
      readonly other: string;
      readonly value: unknown;
    }
  | { readonly code: 'only_admin'; readonly action: string }
  | { readonly code: 'not_draft'; readonly status: string }
  /** Of a web page. */
  | { readonly code: 'unreadable'; readonly reason: string }
  /** A video or post, whose URL does not name the profile. */
  | { readonly code: 'not_profile'; readonly example: string }
  /** Of a rule outside this package. */
  | { readonly code: 'sentence'; readonly sentence: string };

/** Why a file is not an image that can be used. */
export type ImageProblem = { readonly code: 'image_too_large' | 'too_many_pixels' | 'not_image' };

/** The problems of each field; those that do not belong to a field are under `base`. */
export type Problems = Readonly<Record<string, readonly Problem[]>>;

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `Cpm amount` for `cpm_amount`: how messages name a field. */
export const fieldLabel = (name: string): string => capitalized(name).replaceAll('_', ' ');

/** The sentence of a problem. @param label how the sentence names the field */
export function sentenceOf(problem: Problem, label: string): string {
  const { code } = problem;
  if (code in sentences) return sentences[code as keyof typeof sentences];
  switch (code) {
    case 'only_admin':
      return `The only admin of an organization cannot be ${problem.action}. Make another member an admin first.`;
    case 'not_draft':
      return `A campaign that is ${problem.status} cannot be deleted. Only drafts can be deleted.${problem.status === 'active' ? ' Pause it instead.' : ''}`;
    case 'sentence':
      return problem.sentence;
    default:
      return `${label} ${restOf(problem)}.`;
  }
}

function restOf(
  problem: Exclude<Problem, { code: keyof typeof sentences | 'only_admin' | 'not_draft' | 'sentence' }>,
): string {
  switch (problem.code) {
    case 'unknown_code': {
      const known = problem.isList ? `known ${problem.kind} codes` : `a known ${problem.kind} code`;
      return `must be ${known}, not ${problem.values.join(', ')}`;
    }
    case 'out_of_range':
      return `must be ${problem.bound} the ${fieldLabel(problem.other).toLowerCase()}, which is ${problem.value}`;
    case 'not_profile':
      return `must be the URL of a profile, such as ${problem.example}, not of a video or post`;
    case 'unreadable':
      return `cannot be read${problem.reason}`;
    default:
      return ofFields[problem.code as keyof typeof ofFields] ?? problemText(problem as FieldProblem);
  }
}

export const sentencesOf = (problems: Problems): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(problems).map(([field, own]) => [
      field,
      [...new Set(own.map((problem) => sentenceOf(problem, fieldLabel(field))))],
    ]),
  );
