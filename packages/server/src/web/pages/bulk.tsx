import type { Endpoint } from '@mkt/sdk/contract';
import type { PageContext } from '../page-context.js';
import { endpointFor, type Item, type PageDescription } from '../page-descriptions.js';
import { pageOf } from '../paths.js';
import { crumbsTo, Page } from './layout.js';
import { HiddenFields } from './post-button.js';
import { Badge, Spend, titleOf } from './values.js';

/** An action on the selected items of a list. */
export interface BulkAction {
  readonly name: string;
  readonly label: string;
  /** What was done: `paused`. */
  readonly done: string;
  readonly endpoint: Endpoint;
}

export interface BulkPlan {
  readonly possible: readonly Item[];
  readonly impossible: readonly { readonly label: string; readonly reason: string }[];
}

interface BulkProps {
  readonly context: PageContext;
  readonly resource: PageDescription;
  readonly action: BulkAction;
  readonly plan: BulkPlan;
  readonly back: string;
}

/** Shows what an action does to the selected items, and what it cannot change, and asks. */
export function bulkPage({ context, resource, action, plan, back }: BulkProps) {
  const { possible, impossible } = plan;
  const { name, label, done } = action;
  const counted = (count: number) => `${count} ${count === 1 ? resource.singular : resource.plural}`;
  const locks = resource.actions.some((each) => each.name === name && each.locks);
  return (
    <Page
      context={context}
      title={
        possible.length > 0
          ? `${label} ${counted(possible.length)}?`
          : `None of these ${resource.plural} can be ${done}`
      }
      crumbs={crumbsTo(context, resource)}
    >
      {possible.length > 0 && (
        <form method="post" action={`${back}/actions`}>
          <HiddenFields fields={{ csrf_token: context.csrf ?? '', form_id: context.formId, action: name }} />
          <ul class="plan">
            {possible.map((item) => (
              <li>
                <input type="hidden" name="id" value={String(item.id)} />
                <PlannedItem context={context} resource={resource} item={item} />
              </li>
            ))}
          </ul>
          {locks && (
            <p>These cannot be changed afterwards: {(resource.locked?.fields ?? []).map(titleOf).join(', ')}.</p>
          )}
          {name === 'delete' && <p>This cannot be undone.</p>}
          <div class="actions bar">
            <button type="submit" class={name === 'delete' ? 'danger' : undefined}>
              {`${label} ${counted(possible.length)}`}
            </button>
            <a href={back}>Cancel</a>
          </div>
        </form>
      )}
      {impossible.length > 0 && (
        <section class="sheet">
          <h2>{`${counted(impossible.length)} cannot be ${done}`}</h2>
          <dl>
            {impossible.map((item) => (
              <div>
                <dt>{item.label}</dt>
                <dd>{item.reason}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {possible.length === 0 && (
        <p class="actions bar">
          <a href={back}>{`Back to the ${resource.plural}`}</a>
        </p>
      )}
    </Page>
  );
}

function PlannedItem({ context, resource, item }: Pick<BulkProps, 'context' | 'resource'> & { item: Item }) {
  const get = endpointFor(resource, 'get');
  const state = resource.state && item[resource.state];
  return (
    <>
      {get && <a href={pageOf(get, { ...context.parameters, id: String(item.id) })}>{resource.labelOf(item)}</a>}{' '}
      {typeof state === 'string' && <Badge value={state} />}
      {'used_amount' in item && (
        <small>
          <Spend
            used={Number(item.used_amount)}
            budget={Number(item.total_budget_amount)}
            currency={String(item.currency)}
          />
        </small>
      )}
    </>
  );
}
