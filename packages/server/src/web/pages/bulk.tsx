import type { Endpoint } from '@mkt/sdk/contract';
import type { PageContext } from '../page-context.js';
import { endpointFor, type Item, type PageDescription } from '../page-descriptions.js';
import { pageOf } from '../paths.js';
import { isLost } from '../shown.js';
import { HiddenFields } from './buttons.js';
import { Changes, missingIn } from './confirm.js';
import { ErrorSummary } from './control.js';
import { crumbsTo, Page } from './layout.js';
import { counted, FieldValue, labelIn, labelWith, renderEach } from './values.js';

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
  /** The names of the others, by the reason. */
  readonly impossible: readonly { readonly reason: string; readonly names: readonly string[] }[];
  /** How many items are no longer as the page of the form, or the list, showed them. */
  readonly outdated: number;
  /** Their values that have changed. */
  readonly changed: readonly { readonly item: Item; readonly before: Item; readonly fields: readonly string[] }[];
  /** The values that the page shows, for its form. */
  readonly shown: string;
}

export interface BulkProps {
  readonly context: PageContext;
  readonly resource: PageDescription;
  readonly action: BulkAction;
  readonly plan: BulkPlan;
  /** The list, with its filter, order and page. */
  readonly back: string;
  /** Whether the page is the response to its form. */
  readonly isSent: boolean;
}

/** Shows what an action does to the selected items, and what it cannot change, and asks. */
export function bulkPage({ context, resource, action, plan, back, isSent }: BulkProps) {
  const { possible, impossible, changed, outdated, shown } = plan;
  const { name, label, done } = action;
  const [list = '', query] = back.split('?', 2);
  const known = changed.filter(({ fields }) => fields.length > 0);
  const unknown = changed.filter(({ fields }) => fields.length === 0).map(({ item }) => item);
  const since = isSent ? 'this page, so nothing was done.' : 'the list.';
  const next = isSent ? 'Check the page, and confirm again.' : 'Check the page before you confirm.';
  return (
    <Page
      context={context}
      title={
        possible.length > 0
          ? `${labelWith(label, counted(possible.length, resource))}?`
          : `None of these ${resource.plural} can be ${done}`
      }
      rejected={isSent}
      crumbs={crumbsTo(context, resource)}
    >
      {(isSent || outdated > 0) && (
        <ErrorSummary
          reasons={[
            `${counted(outdated, resource)} ${outdated === 1 ? 'was' : 'were'} changed or deleted after you opened ${since}${possible.length > 0 ? ` ${next}` : ''}`,
          ]}
        />
      )}
      {renderEach(context, known, ({ item, before, fields }) => (
        <section class="sheet">
          <h2>{resource.labelOf(item)}</h2>
          <Changes resource={resource} before={before} now={item} fields={fields} />
        </section>
      ))}
      {unknown.length > 0 && (
        <section class="sheet">
          <h2>{`${counted(unknown.length, resource)} changed after you opened the page`}</h2>
          <p>The page had too many to keep their values. As they are now:</p>
          <PlanTable context={context} resource={resource} action={action} items={unknown} />
        </section>
      )}
      {possible.length > 0 && (
        <form method="post" action={`${list}/actions${query === undefined ? '' : `?${query}`}`}>
          <HiddenFields fields={{ csrf_token: context.csrf ?? '', form_id: context.formId, action: name, shown }} />
          {name === 'delete' && <p>{resource.removeWarning}</p>}
          <PlanTable context={context} resource={resource} action={action} items={possible} />
          <div class="actions bar">
            <button type="submit" class={name === 'delete' ? 'danger' : undefined}>
              {labelWith(label, counted(possible.length, resource))}
            </button>
            <a href={back} data-back>
              Cancel
            </a>
          </div>
        </form>
      )}
      {impossible.length > 0 && (
        <section class="sheet">
          <h2>{`${counted(impossible.flatMap(({ names }) => names).length, resource)} cannot be ${done}`}</h2>
          {impossible.map(({ reason, names }) => (
            <>
              <p>{reason}</p>
              <ul>
                {renderEach(context, names, (each) => (
                  <li>{each}</li>
                ))}
              </ul>
            </>
          ))}
        </section>
      )}
      {possible.length === 0 && (
        <p class="actions bar">
          <a href={back} data-back>{`Back to the ${resource.plural}`}</a>
        </p>
      )}
    </Page>
  );
}

type PlanTableProps = Pick<BulkProps, 'context' | 'resource' | 'action'> & { items: readonly Item[] };

/** The items, with the values that become final, what is deleted with them, and with the warnings of the page that asks for one item. */
function PlanTable({ context, resource, action, items }: PlanTableProps) {
  const get = endpointFor(resource, 'get');
  const locks = resource.actions.some((each) => each.name === action.name && each.locks);
  const fields = [
    ...(resource.state ? [resource.state] : []),
    ...(locks ? (resource.locked?.fields ?? []) : []),
    ...resource.columns.filter((field) => isLost(resource, field, action.endpoint)),
  ];
  return (
    <>
      {locks && <p>These values cannot be changed afterwards. Check them:</p>}
      <section class="scroll" tabindex={0} aria-label={resource.heading}>
        <table class="plan">
          <thead>
            <tr>
              <th scope="col">Name</th>
              {fields.map((field) => (
                <th scope="col">{labelIn(resource, field)}</th>
              ))}
              {locks && <th scope="col">Before you publish</th>}
            </tr>
          </thead>
          <tbody>
            {renderEach(context, items, (item) => (
              <tr>
                <th scope="row">
                  {get && (
                    <a href={pageOf(get, { ...context.parameters, id: String(item.id) })}>
                      {resource.labelOf(item)} <small class="none">{`#${item.id}`}</small>
                    </a>
                  )}
                </th>
                {fields.map((field) => (
                  <td data-label={labelIn(resource, field)}>
                    <FieldValue resource={resource} item={item} field={field} />
                  </td>
                ))}
                {locks && (
                  <td data-label="Before you publish">{missingIn(item).join(' ') || <span class="none">–</span>}</td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
