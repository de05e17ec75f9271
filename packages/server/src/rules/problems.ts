import { type FieldProblem, problemText } from '@mkt/sdk/contract';

/** Why a request is invalid: a code, and what its sentence says. */
export type Problem =
  | FieldProblem
  | ImageProblem
  | {
      readonly code:
        | 'required'
        | 'locked'
        | 'too_large_escaped'
        | 'account_taken'
        | 'needs_logo'
        | 'not_file'
        | 'only_member'
        | 'funded'
        | 'has_submissions'
        | 'has_subscription';
    }
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
  /** Of a rule outside this package. */
  | { readonly code: 'sentence'; readonly sentence: string };

/** Why a file is not an image that can be used. */
export type ImageProblem = { readonly code: 'image_too_large' | 'not_image' };

/** The problems of each field; those that do not belong to a field are under `base`. */
export type Problems = Readonly<Record<string, readonly Problem[]>>;

export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `Cpm amount` for `cpm_amount`: how messages name a field. */
export const fieldLabel = (name: string): string => capitalized(name).replaceAll('_', ' ');

/** The sentence of a problem. @param label how the sentence names the field */
export function sentenceOf(problem: Problem, label: string): string {
  switch (problem.code) {
    case 'required':
      return `${label} is required.`;
    case 'locked':
      return `${label} cannot be changed after publication. Leave it out of the request.`;
    case 'too_large_escaped':
      return `${label} must be at most 64 KiB long after its special characters are escaped.`;
    case 'account_taken':
      return `${label} is already connected, by you or by another user. Each account can be connected only once.`;
    case 'needs_logo':
      return 'A private organization needs a logo. Upload one, or choose another privacy setting.';
    case 'not_file':
      return `${label} must be sent as a file in a multipart request.`;
    case 'image_too_large':
      return `${label} must be at most 5 MiB.`;
    case 'not_image':
      return `${label} must be a PNG, JPEG, WebP or GIF image.`;
    case 'only_member':
      return 'You are the only member of this organization and cannot leave it. Delete the organization instead.';
    case 'only_admin':
      return `The only admin of an organization cannot be ${problem.action}. Make another member an admin first.`;
    case 'not_draft':
      return `A campaign that is ${problem.status} cannot be deleted. Only drafts can be deleted.${problem.status === 'active' ? ' Pause it instead.' : ''}`;
    case 'funded':
      return 'A campaign with funding cannot be deleted.';
    case 'has_submissions':
      return 'A collab with approved submissions cannot be deleted.';
    case 'has_subscription':
      return 'An organization with an active subscription cannot be deleted. Cancel the subscription first.';
    case 'unknown_code': {
      const known = problem.isList ? `known ${problem.kind} codes` : `a known ${problem.kind} code`;
      return `${label} must be ${known}, not ${problem.values.join(', ')}.`;
    }
    case 'out_of_range':
      return `${label} must be ${problem.bound} the ${fieldLabel(problem.other).toLowerCase()}, which is ${problem.value}.`;
    case 'unreadable':
      return `${label} cannot be read${problem.reason}.`;
    case 'sentence':
      return problem.sentence;
    default:
      return `${label} ${problemText(problem)}.`;
  }
}

/** The sentences of the problems of each field. */
export const sentencesOf = (problems: Problems): Record<string, string[]> =>
  Object.fromEntries(
    Object.entries(problems).map(([field, own]) => [
      field,
      [...new Set(own.map((problem) => sentenceOf(problem, fieldLabel(field))))],
    ]),
  );
