import { explained } from '../api/errors/explain.js';
import { idOf } from '../api/organization.js';
import { type Resource, viewOf } from '../api/resources/resource.js';
import type { Invocation, Run } from '../context/command.js';
import type { Context, Organization } from '../context/context.js';
import { placeFlags } from '../context/next-command.js';
import { cellText, type Row, valueAt } from '../text/row.js';
import { collectFields } from './fields/collect.js';
import { labelOf } from './label.js';

export interface Creation {
  /** In the receipt: `Created`, `Connected`. */
  readonly verb: string;
  readonly done: string;
  readonly wrapper: string;
  /** What a person does next, after the receipt. */
  readonly next?: (row: Row, place: string) => string;
  readonly query?: (invocation: Invocation) => { website?: string };
}

const place = async (organization: Organization | undefined): Promise<string> =>
  organization === undefined ? '' : ` in ${await organization.name()}`;

/** Prints what a change left behind, and its receipt. */
export async function receipt(
  context: Context,
  {
    resource,
    row,
    done,
    organization,
  }: { resource: Resource; row: Row; done: string; organization: Organization | undefined },
): Promise<void> {
  context.note(`${done} ${labelOf(resource, row)}${await place(organization)}`);
}

/** `create` and `connect`: sends the fields, shows what came of it. */
export const create =
  (resource: Resource, { verb, done, wrapper, next, query }: Creation): Run =>
  async (context, invocation) => {
    const client = await context.client();
    const organization = resource.inOrganization ? await context.organization() : undefined;
    const view = await viewOf(resource, 'one', true);
    context.print.checkKnown(view);
    const fields = await collectFields(invocation, wrapper, context);
    const options = { signal: context.io.interrupted };
    const row = await explained(context, { verb, resource, organization }, async () => {
      const answer = await resource
        .verbs(client, organization?.id ?? '', options)
        .create?.(fields, query?.(invocation));
      if (answer === undefined) throw new Error(`${resource.plural} cannot be created.`);
      return answer;
    });
    await receipt(context, { resource, row, done, organization });
    if (next !== undefined) context.note(next(row, placeFlags(context)));
    await context.print.changed(row, view);
  };

/** The next step for something that starts as a draft. */
export const thenStep =
  (command: string, step: string) =>
  (row: Row, flags: string): string => {
    const state = cellText(valueAt(row, 'status') ?? valueAt(row, 'state'));
    return state === 'draft' ? `It is a draft. Next: mkt ${command} ${step} ${idOf(row)}${flags}` : `It is ${state}.`;
  };
