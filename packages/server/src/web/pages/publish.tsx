import type { Endpoint } from '@mkt/sdk/contract';
import type { PageContext } from '../page-context.js';
import { pageOf } from '../paths.js';
import { endpointFor, type Item, nameInSentence, type Resource } from '../resources.js';
import { crumbsToForm } from './crumbs.js';
import { page } from './layout.js';
import { PostButton } from './post-button.js';
import { FieldValue, titleOf } from './values.js';

interface PublishProps {
  readonly context: PageContext;
  readonly resource: Resource;
  /** The action that locks fields. */
  readonly endpoint: Endpoint;
  readonly parameters: Readonly<Record<string, string>>;
  readonly item: Item;
}

/** Asks for confirmation before an action that locks fields, and shows their values. */
export function publishPage({ context, resource, endpoint, parameters, item }: PublishProps): string {
  const action = resource.actions.find(({ name }) => endpoint.operation === `${resource.name}.${name}`);
  const label = action?.label ?? '';
  const update = endpointFor(resource, 'update');
  const own = endpointFor(resource, 'get') ?? endpoint;
  const isOffered = action?.offeredIn.includes(String(resource.state && item[resource.state])) === true;
  return page({
    context,
    title: isOffered
      ? `${label} ${nameInSentence(resource, item)}?`
      : `${nameInSentence(resource, item)} is already ${String(resource.state && item[resource.state])}`,
    crumbs: crumbsToForm(context, resource, parameters, item),
    children: isOffered ? (
      <>
        <p>These values cannot be changed afterwards. Check them:</p>
        <section class="sheet narrow">
          <dl>
            {(resource.locked?.fields ?? []).map((field) => (
              <div>
                <dt>{titleOf(field)}</dt>
                <dd>
                  <FieldValue resource={resource} item={item} field={field} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
        <div class="actions bar">
          <PostButton to={pageOf(endpoint, parameters)} csrf={context.csrf ?? ''} label={label} />
          {update && (
            <a class="button quiet" href={`${pageOf(update, parameters)}/edit`}>
              Edit
            </a>
          )}
          <a href={pageOf(own, parameters)}>Cancel</a>
        </div>
      </>
    ) : (
      <p class="actions">
        <a href={pageOf(own, parameters)}>Go back</a>
      </p>
    ),
  });
}
