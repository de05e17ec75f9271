import type { Endpoint } from '@mkt/sdk/contract';
import type { PageContext } from '../page-context.js';
import { pageOf } from '../paths.js';
import { type Item, nameInSentence, type Resource } from '../resources.js';
import { Control } from './control.js';
import { crumbsToForm } from './crumbs.js';
import { ErrorSummary } from './error-summary.js';
import { page } from './layout.js';
import { HiddenFields } from './post-button.js';

/** A list whose items are deleted too. */
export interface Deleted {
  readonly heading: string;
  readonly count: number;
}

interface ConfirmProps {
  readonly context: PageContext;
  readonly resource: Resource;
  readonly endpoint: Endpoint;
  readonly parameters: Readonly<Record<string, string>>;
  readonly item: Item;
  /** The link to cancel. */
  readonly back: string;
  /** Why the last attempt was rejected. */
  readonly reasons: readonly string[];
  /** Why the item cannot be deleted. */
  readonly obstacle: string | null;
  readonly deleted: readonly Deleted[];
  readonly etag?: string;
}

const count = new Intl.NumberFormat('en-US');

/** Asks for confirmation before a deletion. */
export function confirmPage(props: ConfirmProps): string {
  const { context, resource, endpoint, parameters, item, back, reasons, obstacle, deleted, etag } = props;
  const leaves = item.id !== undefined && item.id === context.membership?.id;
  const label = leaves ? 'Leave' : resource.removeLabel;
  const name = leaves ? (context.organization?.name ?? '') : nameInSentence(resource, item);
  const frame = {
    context,
    rejected: reasons.length > 0,
    crumbs: crumbsToForm(context, resource, parameters, item),
  };
  if (obstacle !== null)
    return page({
      ...frame,
      title: `${name} cannot be deleted`,
      children: (
        <>
          {reasons.length > 0 && <ErrorSummary reasons={reasons} />}
          {!reasons.includes(obstacle) && <p>{obstacle}</p>}
          <p class="actions">
            <a href={back}>Go back</a>
          </p>
        </>
      ),
    });
  return page({
    ...frame,
    title: `${label} ${name}?`,
    children: (
      <>
        {reasons.length > 0 && <ErrorSummary reasons={reasons} />}
        <p>{warningFor(props, leaves)}</p>
        {deleted.length > 0 && (
          <ul>
            {deleted.map(({ heading, count: number }) => (
              <li>
                {heading}: {count.format(number)}
              </li>
            ))}
          </ul>
        )}
        <form method="post" action={pageOf(endpoint, parameters)} class="fields">
          <HiddenFields csrf={context.csrf ?? ''} method="delete" />
          {etag !== undefined && <input type="hidden" name="etag" value={etag} />}
          {resource.name === 'organizations' && (
            <Control
              kind="text"
              name="confirmation"
              input="confirmation"
              label="Name of the organization"
              hint={`To confirm, type ${name}`}
              value=""
              choices={[]}
              errors={reasons}
              required
            />
          )}
          <div class="actions">
            <button type="submit" class="danger">
              {label}
            </button>
            <a href={back}>Cancel</a>
          </div>
        </form>
      </>
    ),
  });
}

function warningFor({ context, resource, item }: ConfirmProps, leaves: boolean): string {
  if (leaves) return 'You lose access to the organization immediately.';
  const isInUse = resource.name === 'accessTokens' && item.id === context.visitor?.tokenId;
  return isInUse
    ? `You are signed in with this token. Revoking it signs you out. ${resource.removeWarning}`
    : resource.removeWarning;
}
