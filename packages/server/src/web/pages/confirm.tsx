import type { FormVersion } from '../form-values.js';
import type { Subject } from '../load-resource.js';
import { endpointFor, type Item, nameInSentence } from '../page-descriptions.js';
import { pageOf } from '../paths.js';
import { Control, ErrorSummary } from './control.js';
import { crumbsTo, Page } from './layout.js';
import { HiddenFields, PostButton } from './post-button.js';
import { FieldList, wholeNumber } from './values.js';

/** A list whose items are deleted too. */
export interface Deleted {
  readonly heading: string;
  readonly count: number;
}

interface ConfirmProps extends Subject {
  /** Why the last attempt was rejected. */
  readonly reasons: readonly string[];
  /** Why the item cannot be deleted. */
  readonly obstacle: string | null;
  readonly deleted: readonly Deleted[];
  readonly etag?: string;
}

const frameOf = ({ context, resource, item }: Subject) => ({ context, crumbs: crumbsTo(context, resource, item) });

/** The page of the item, or the list that it is in. */
const backFrom = ({ context, resource, endpoint }: Subject): string =>
  pageOf(endpointFor(resource, 'get') ?? endpointFor(resource, 'list') ?? endpoint, context.parameters);

/** Asks for confirmation before a deletion. */
export function confirmPage(props: ConfirmProps) {
  const { context, resource, endpoint, item, reasons, obstacle, deleted, etag } = props;
  const leaves = item.id !== undefined && item.id === context.membership?.id;
  const label = leaves ? 'Leave' : resource.removeLabel;
  const name = leaves ? (context.organization?.name ?? '') : nameInSentence(resource, item);
  const frame = { ...frameOf(props), rejected: reasons.length > 0 };
  const back = backFrom(props);
  if (obstacle !== null)
    return (
      <Page {...frame} title={`${name} cannot be deleted`}>
        {reasons.length > 0 && <ErrorSummary reasons={reasons} />}
        {!reasons.includes(obstacle) && <p>{obstacle}</p>}
        <p class="actions">
          <a href={back}>Go back</a>
        </p>
      </Page>
    );
  return (
    <Page {...frame} title={`${label} ${name}?`}>
      {reasons.length > 0 && <ErrorSummary reasons={reasons} />}
      <p>{warningFor(props, leaves)}</p>
      {deleted.length > 0 && (
        <ul>
          {deleted.map(({ heading, count: number }) => (
            <li>
              {heading}: {wholeNumber.format(number)}
            </li>
          ))}
        </ul>
      )}
      <form method="post" action={pageOf(endpoint, context.parameters)} class="fields">
        <HiddenFields fields={{ csrf_token: context.csrf ?? '', _method: 'delete', form_id: context.formId, etag }} />
        {resource.name === 'organizations' && (
          <Control
            kind="text"
            name="confirmation"
            input="confirmation"
            label="Name of the organization"
            hint={`To confirm, type ${name}`}
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
    </Page>
  );
}

function warningFor({ context, resource, item }: ConfirmProps, leaves: boolean): string {
  if (leaves) return 'You lose access to the organization immediately.';
  const isInUse = resource.name === 'accessTokens' && item.id === context.visitor?.tokenId;
  return isInUse
    ? `You are signed in with this token. Revoking it signs you out. ${resource.removeWarning}`
    : resource.removeWarning;
}

/** Asks for confirmation before the role of a member is changed to the other one. */
export function rolePage(subject: Subject, version: FormVersion) {
  const { context, resource, endpoint, item } = subject;
  const role = item.role === 'admin' ? 'member' : 'admin';
  const isOwn = item.id === context.membership?.id;
  const name = resource.labelOf(item);
  const consequence =
    role === 'admin'
      ? `${name} will see drafts, may change, publish and delete campaigns and collabs, and change this organization and the roles of its members.`
      : `${isOwn ? 'You' : name} will no longer see drafts or change anything here.`;
  return (
    <Page
      {...frameOf(subject)}
      title={`Make ${isOwn ? 'yourself' : name} ${role === 'admin' ? 'an admin' : 'a member'}?`}
    >
      <p>
        {consequence} {isOwn && 'Only another admin can undo this.'}
      </p>
      <div class="actions">
        <PostButton
          to={pageOf(endpoint, context.parameters)}
          csrf={context.csrf ?? ''}
          formId={context.formId}
          method="patch"
          fields={{ ...version, 'membership[role]': role }}
          label={`Make ${role}`}
        />
        <a href={backFrom(subject)}>Cancel</a>
      </div>
    </Page>
  );
}

/** What creators would miss, or what keeps them from being paid. */
export function missingIn({
  total_budget_amount: budget,
  countries,
  platform_ids: platforms,
  brief,
  website,
}: Item): string[] {
  const isNone = (list: unknown): boolean => Array.isArray(list) && list.length === 0;
  return [
    ...(budget === 0 ? ['The budget is 0: nothing can be paid until the service has funded it.'] : []),
    ...(isNone(countries) ? ['No country is set.'] : []),
    ...(isNone(platforms) ? ['No platform is set.'] : []),
    ...(brief === null || brief === '' ? ['There is no brief, so creators do not know what to do.'] : []),
    ...(website === null ? ['There is no website to promote.'] : []),
  ];
}

export const Missing = ({ warnings }: { warnings: readonly string[] }) =>
  warnings.length > 0 && (
    <div class="flash flash-warm">
      <p>Before you publish:</p>
      <ul>
        {warnings.map((warning) => (
          <li>{warning}</li>
        ))}
      </ul>
    </div>
  );

/** Asks for confirmation before an action that locks fields, and shows their values. */
export function lockPage(subject: Subject) {
  const { context, resource, endpoint, item } = subject;
  const { parameters } = context;
  const action = resource.actions.find(({ name }) => endpoint.operation === `${resource.name}.${name}`);
  const state = String(resource.state && item[resource.state]);
  const update = endpointFor(resource, 'update');
  const back = backFrom(subject);
  if (!action?.offeredIn.includes(state))
    return (
      <Page {...frameOf(subject)} title={`${nameInSentence(resource, item)} is already ${state}`}>
        <p class="actions">
          <a href={back}>Go back</a>
        </p>
      </Page>
    );
  return (
    <Page {...frameOf(subject)} title={`${action.label} ${nameInSentence(resource, item)}?`}>
      <Missing warnings={missingIn(item)} />
      <p>These values cannot be changed afterwards. Check them:</p>
      <section class="sheet narrow">
        <FieldList resource={resource} item={item} fields={resource.locked?.fields ?? []} />
      </section>
      <div class="actions bar">
        <PostButton
          to={pageOf(endpoint, parameters)}
          csrf={context.csrf ?? ''}
          formId={context.formId}
          label={action.label}
        />
        {update && (
          <a class="button quiet" href={`${pageOf(update, parameters)}/edit`}>
            Edit
          </a>
        )}
        <a href={back}>Cancel</a>
      </div>
    </Page>
  );
}
