import type { Organization } from '../../context/context.js';
import type { Resource } from '../resources.js';

/** What was being done, for the sentence: `publish campaign 12`. */
export interface Subject {
  readonly verb: string;
  readonly resource?: Resource;
  readonly id?: string;
  readonly organization?: Organization | undefined;
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `campaign 12`, or `campaigns` where no single one is meant. */
export const objectOf = ({ resource, id }: Subject): string =>
  resource === undefined ? (id ?? 'this') : id === undefined ? resource.plural : `${resource.noun} ${id}`.trim();

export const inPlace = async ({ organization }: Subject): Promise<string> =>
  organization === undefined ? '' : ` in ${await organization.label()}`;

export const listHint = ({ resource, organization }: Subject): string[] => {
  if (resource === undefined) return [];
  return [`mkt ${resource.command} list${organization === undefined ? '' : ` --org ${organization.id}`}`];
};

const PAST: Readonly<Record<string, string>> = { submit: 'submitted', leave: 'left', set: 'set' };
/** `publish` is `published`, `pause` is `paused`. */
export const past = (verb: string): string => PAST[verb] ?? (verb.endsWith('e') ? `${verb}d` : `${verb}ed`);
