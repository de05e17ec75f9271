import type { Context, Organization } from '../../context/context.js';
import { serviceFlags } from '../../context/flags.js';
import type { Resource } from '../labels.js';

/** The operation that failed, for messages: `publish campaign 12`. */
export interface Subject {
  readonly action: string;
  readonly resource?: Resource;
  readonly id?: string | undefined;
  readonly organization?: Organization | undefined;
}

/** The command that lists a resource, with the flags that chose the service. */
export function listCommand(context: Context, resource: Resource, organization?: Organization): string {
  const where = organization === undefined ? '' : ` --org ${organization.id}`;
  return `mkt ${resource.command} list${where}${serviceFlags(context)}`;
}
