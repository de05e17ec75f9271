import { type Endpoint, parametersOf, pathsAbove, resourceAt, resources } from '@mkt/sdk/contract';
import type { Caller } from '../rules/context.js';
import { notFound } from '../rules/errors.js';
import { membershipIn, roleError, visible } from '../rules/policy.js';
import { capitalized } from '../rules/problems.js';
import type { Reader } from '../store/store.js';
import type { AnyRow, Row } from '../store/tables.js';

export type Parameters = Readonly<Record<string, string>>;

/** What a caller may see of a path. */
export interface Access {
  readonly membership: Row<'memberships'> | null;
  readonly resource: object | null;
}

/** The parameter with the id of the organization whose members have access. */
export function organizationParameter({ role, path }: Endpoint): 'organization_id' | 'id' | null {
  if (role === 'none') return null;
  return path.includes(':organization_id') ? 'organization_id' : path.includes(':id') ? 'id' : null;
}

/** Computes everything that depends only on the contract once. The returned function runs with every request. */
export function authorizer(endpoint: Endpoint) {
  const inOrganization = organizationParameter(endpoint);
  // From the outside in. The organization is one of them only for endpoints of organizations: for all others, the membership
  // shows that it exists.
  const items = [...pathsAbove(endpoint.path), endpoint.path].flatMap((above) => {
    const name = resourceAt(above);
    const parameter = parametersOf(above).at(-1);
    const isItem = name && parameter && (name !== 'organizations' || endpoint.operation.startsWith(name));
    return isItem ? [{ name: name as keyof typeof visible, parameter }] : [];
  });

  /** @throws 404 if the caller may not see the resource, then 403 if the role does not permit the operation */
  return async (reader: Reader, caller: Caller, parameters: Parameters): Promise<Access> => {
    const membership =
      inOrganization === null ? null : await membershipIn(reader, caller, parameters[inOrganization] ?? '');
    let resource: AnyRow | null = null;
    for (const { name, parameter } of items) {
      const id = parameters[parameter] ?? '';
      resource = await visible[name]({ store: reader, caller, membership, id, above: resource });
      if (resource) continue;
      const what = `${capitalized(resources[name].singular)} ${id}`;
      throw membership
        ? notFound(`${what} was not found. Check the id, and that it is in this organization.`)
        : notFound(`${what} was not found. Check the id: only your own can be found.`);
    }
    const rejection = membership && roleError(endpoint.role, membership, resource);
    if (rejection) throw rejection;
    return { membership, resource };
  };
}
