import type { Endpoint } from '@mkt/sdk/contract';
import type { PageContext } from '../page-context.js';
import { pageOf } from '../paths.js';
import { type Item, nameInSentence, type Resource } from '../resources.js';
import { crumbsToForm } from './crumbs.js';
import { ErrorSummary } from './error-summary.js';
import { page } from './layout.js';
import { PostButton } from './post-button.js';

interface ConfirmProps {
  readonly context: PageContext;
  readonly resource: Resource;
  readonly endpoint: Endpoint;
  readonly parameters: Readonly<Record<string, string>>;
  readonly item: Item;
  /** The link to cancel. */
  readonly back: string;
  /** Why the last attempt was rejected. */
  readonly reasons?: readonly string[];
}

/** Asks for confirmation before a deletion. */
export function confirmPage({
  context,
  resource,
  endpoint,
  parameters,
  item,
  back,
  reasons = [],
}: ConfirmProps): string {
  const leaves = item.id !== undefined && item.id === context.membership?.id;
  const label = leaves ? 'Leave' : resource.removeLabel;
  return page({
    context,
    title: `${label} ${leaves ? (context.organization?.name ?? '') : nameInSentence(resource, item)}?`,
    rejected: reasons.length > 0,
    crumbs: crumbsToForm(context, resource, parameters, item),
    children: (
      <>
        {reasons.length > 0 && <ErrorSummary reasons={reasons} />}
        <p>{leaves ? 'You lose access to the organization immediately.' : resource.removeWarning}</p>
        <div class="actions">
          <PostButton
            to={pageOf(endpoint, parameters)}
            csrf={context.csrf ?? ''}
            method="delete"
            label={label}
            danger
          />
          <a href={back}>Cancel</a>
        </div>
      </>
    ),
  });
}
