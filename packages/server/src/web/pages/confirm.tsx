import { hasKind } from '@mkt/sdk/contract';
import { platformNamed } from '../../rules/codes.js';
import type { Subject } from '../load-resource.js';
import { endpointFor, type Item, nameInSentence, type PageDescription } from '../page-descriptions.js';
import { pageOf } from '../paths.js';
import { beginningOf, type Content, isContent, isLong, isShown } from '../shown.js';
import { ButtonLink, HiddenFields } from './buttons.js';
import { Control, ErrorSummary } from './control.js';
import { crumbsTo, Page } from './layout.js';
import { FieldList, FieldValue, labelIn, labelWith, Term, titleOf } from './values.js';

interface ConfirmProps extends Subject {
  /** Why the last attempt was rejected. */
  readonly reasons: readonly string[];
  readonly obstacle: string | null;
  /** What is deleted too. */
  readonly contents: Readonly<Record<string, Content>>;
  /** The values when the rejected page was opened, and the names of those that have changed. */
  readonly before: Item;
  readonly changed: readonly string[];
  /** Whether the page is the response to its form. */
  readonly isSent: boolean;
  /** The values that the page shows, for its form. */
  readonly shown: string;
}

interface Question {
  readonly title: string;
  readonly impossible: string;
  readonly text: string;
  readonly label: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly isDangerous?: boolean;
  /** The fields that are shown. */
  readonly sheet: readonly string[];
  /** Whether fields cannot be changed afterwards. */
  readonly locks?: boolean;
}

/** Asks for confirmation before an action, and shows what it does. */
export function confirmPage(props: ConfirmProps) {
  const { context, resource, endpoint, item, obstacle, contents, changed, before, isSent, shown } = props;
  const { title, impossible, text, label, fields, sheet, isDangerous, locks } = questionFor(props);
  const changedSince = `This ${resource.singular} was changed after you opened`;
  const stale = isSent ? `${changedSince} this page, so nothing was done.` : `${changedSince} the previous page.`;
  const next = isSent ? 'Check it, and confirm again.' : 'Check it before you confirm.';
  const reasons = changed.length > 0 ? [obstacle === null ? `${stale} ${next}` : stale] : props.reasons;
  const isRejected = reasons.length > 0 && (obstacle === null || changed.length > 0);
  const back = pageOf(endpointFor(resource, 'get') ?? endpointFor(resource, 'list') ?? endpoint, context.parameters);
  const update = locks ? endpointFor(resource, 'update') : null;
  return (
    <Page
      context={context}
      crumbs={crumbsTo(context, resource, item)}
      rejected={isRejected && isSent}
      title={obstacle === null ? title : impossible}
    >
      {isRejected && <ErrorSummary reasons={reasons} />}
      <Changes resource={resource} before={before} now={{ ...item, ...contents }} fields={changed} />
      {obstacle !== null ? (
        <>
          <p>{obstacle}</p>
          <p class="actions">
            <a href={back}>Go back</a>
          </p>
        </>
      ) : (
        <>
          {locks && <Missing warnings={missingIn(item)} />}
          <p>{text}</p>
          {Object.keys(contents).length > 0 && (
            <ul>
              {Object.entries(contents).map(([name, { text }]) => (
                <li>
                  {titleOf(name)}: {text}
                </li>
              ))}
            </ul>
          )}
          {sheet.length > 0 && (
            <section class="sheet narrow">
              <FieldList resource={resource} item={item} fields={sheet} />
            </section>
          )}
          <form method="post" action={pageOf(endpoint, context.parameters)} class="fields">
            <HiddenFields
              fields={{
                csrf_token: context.csrf ?? '',
                _method: endpoint.method === 'POST' ? undefined : endpoint.method.toLowerCase(),
                form_id: context.formId,
                shown,
                ...fields,
              }}
            />
            {endpoint.operation === 'organizations.delete' && (
              <Control
                kind="text"
                name="confirmation"
                input="confirmation"
                label="Name of the brand"
                hint={`To confirm, type ${resource.labelOf(item)}`}
                errors={changed.length > 0 ? [] : reasons}
                required
              />
            )}
            <div class="actions bar">
              <button type="submit" class={isDangerous ? 'danger' : undefined}>
                {label}
              </button>
              {update && <ButtonLink to={`${pageOf(update, context.parameters)}/edit`} label="Edit" quiet />}
              <a href={back}>Cancel</a>
            </div>
          </form>
        </>
      )}
    </Page>
  );
}

function questionFor(subject: Subject): Question {
  const { context, resource, endpoint, item } = subject;
  const name = nameInSentence(resource, item);
  // What changes by itself would make the question old at once.
  const fields = resource.columns.length > 0 ? resource.columns : (resource.groups[0]?.fields ?? []);
  const sheet = fields.filter((field) => field in item && isShown(resource, field, endpoint));
  const action = resource.actions.find((each) => endpoint.operation === `${resource.name}.${each.name}`);
  if (action)
    return {
      title: `${labelWith(action.label, name)}?`,
      impossible: `${name} cannot be ${endpoint.transition?.done}`,
      text: action.locks
        ? 'These values cannot be changed afterwards. Check them:'
        : `It will be ${endpoint.transition?.done}.`,
      label: action.label,
      sheet: action.locks ? (resource.locked?.fields ?? []) : sheet,
      locks: action.locks,
    };
  const isOwn = item.id !== undefined && item.id === context.membership?.id;
  if (endpoint.operation === 'members.update') return roleQuestion(name, item, isOwn, sheet);
  const label = isOwn ? 'Leave' : resource.removeLabel;
  const brand = context.organization?.name ?? '';
  const isInUse = resource.name === 'accessTokens' && item.id === context.visitor?.tokenId;
  return {
    title: `${label} ${isOwn ? brand : name}?`,
    impossible: isOwn
      ? `You cannot leave ${brand}`
      : `${name} cannot be ${resource.name === 'members' ? 'removed' : 'deleted'}`,
    text: isOwn
      ? 'You lose access to the brand immediately.'
      : `${isInUse ? 'You are signed in with this token. Revoking it signs you out. ' : ''}${resource.removeWarning}`,
    label,
    sheet,
    isDangerous: true,
  };
}

/** A role has two values, so the question is about the other one. */
function roleQuestion(name: string, { role: current }: Item, isOwn: boolean, sheet: readonly string[]): Question {
  const role = current === 'admin' ? 'member' : 'admin';
  const consequence =
    role === 'admin'
      ? `${name} will see drafts, may change, publish and delete campaigns and collabs, and change this brand and the roles of its members.`
      : `${isOwn ? 'You' : name} will no longer see drafts or change anything here.`;
  return {
    title: `Make ${isOwn ? 'yourself' : name} ${role === 'admin' ? 'an admin' : 'a member'}?`,
    impossible: `The role of ${name} cannot be changed`,
    text: isOwn ? `${consequence} Only another admin can undo this.` : consequence,
    label: `Make ${role}`,
    sheet,
    fields: { 'membership[role]': role },
  };
}

interface ChangesProps {
  readonly resource: PageDescription;
  readonly before: Item;
  readonly now: Item;
  /** The names of the values that have changed. */
  readonly fields: readonly string[];
}

/** Both values of each field that was changed after a page was opened. */
export const Changes = ({ resource, before, now, fields }: ChangesProps) =>
  fields.map((field) => (
    <section class="changes">
      <h2>{labelIn(resource, field)}</h2>
      <dl class="versions">
        <Term name="When you opened the page">
          <ValueOrText resource={resource} item={{ ...now, ...before }} field={field} />
          <Difference before={before[field]} now={now[field]} />
        </Term>
        <Term name="Now">
          <ValueOrText resource={resource} item={now} field={field} />
        </Term>
      </dl>
    </section>
  ));

/** What two values that look the same differ in. */
const Difference = ({ before, now }: { before: unknown; now: unknown }) => {
  if (isContent(before) && isContent(now) && before.text === now.text)
    return <small> The numbers are the same. Some of them were changed, or deleted and replaced.</small>;
  if (!isLong(before) || beginningOf(before) !== beginningOf(now)) return null;
  return <small> The beginning is the same. The text was changed further on.</small>;
};

const ValueOrText = ({ resource, item, field }: { resource: PageDescription; item: Item; field: string }) => {
  const { [field]: value } = item;
  if (isContent(value)) return <>{value.text}</>;
  const isText = isLong(value) || (hasKind(resource.fields, field, 'richText') && Boolean(value));
  return <>{isText ? beginningOf(value) : <FieldValue resource={resource} item={item} field={field} />}</>;
};

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
    ...[platforms ?? []]
      .flat()
      .filter((platform) => platformNamed(String(platform)) !== String(platform).toLowerCase())
      .map((platform) => `"${platform}" is not a known platform.`),
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
