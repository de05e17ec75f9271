import type { Endpoint } from '@mkt/sdk/contract';
import { pageOf } from '../paths.js';
import { type Item, nameInSentence, type Resource } from '../resources.js';
import type { Stage } from '../stage.js';
import { crumbsToForm } from './crumbs.js';
import { page } from './layout.js';
import { Refused } from './refused.js';
import { Send } from './send.js';

interface ConfirmProps {
  readonly stage: Stage;
  readonly resource: Resource;
  readonly endpoint: Endpoint;
  readonly parameters: Readonly<Record<string, string>>;
  readonly item: Item;
  /** The link to cancel. */
  readonly back: string;
  /** Why the last attempt was rejected. */
  readonly refusals?: readonly string[];
}

/** Asks for confirmation before a deletion. */
export function confirmPage({
  stage,
  resource,
  endpoint,
  parameters,
  item,
  back,
  refusals = [],
}: ConfirmProps): string {
  const leaves = item.id !== undefined && item.id === stage.membership?.id;
  const label = leaves ? 'Leave' : resource.removeLabel;
  return page({
    stage,
    title: `${label} ${leaves ? (stage.organization?.name ?? '') : nameInSentence(resource, item)}?`,
    refused: refusals.length > 0,
    crumbs: crumbsToForm(stage, resource, parameters, item),
    children: (
      <>
        {refusals.length > 0 && <Refused reasons={refusals} />}
        <p>{leaves ? 'You lose access to the organization immediately.' : resource.removeWarning}</p>
        <div class="actions">
          <Send to={pageOf(endpoint, parameters)} csrf={stage.csrf ?? ''} method="delete" label={label} danger />
          <a href={back}>Cancel</a>
        </div>
      </>
    ),
  });
}
