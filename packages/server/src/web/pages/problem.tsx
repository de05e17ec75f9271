import type { Problem } from '../../http/problems.js';
import { reasonsOf } from '../form-messages.js';
import { offers, type PageContext, readOnlyText } from '../page-context.js';
import { endpointFor, type PageDescription } from '../page-descriptions.js';
import { ButtonLink, PostButton } from './buttons.js';
import { crumbsInside, Page } from './layout.js';
import { type KeptForm, keptFields } from './sign-in.js';

const titles: Readonly<Record<number, string>> = {
  400: 'Invalid request',
  401: 'Sign-in required',
  403: 'Not permitted',
  404: 'Not found',
  405: 'Method not allowed',
  413: 'Too large',
  415: 'Unsupported content type',
  422: 'Rejected',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
};

const tooLarge =
  'Nothing was saved. Go back in your browser: the form has what you typed. Usually an image in the text of a brief is too large.';

/** A value of a form that cannot be shown again. */
export interface Entered {
  readonly label: string;
  readonly value: string;
}

/**
 * The page for a rejected request: the reasons, and links to continue.
 * @param entered What was typed, to copy it
 * @param kept The form, if another token may save it
 */
export function problemPage(
  context: PageContext,
  problem: Problem,
  back: string | null,
  entered: readonly Entered[] = [],
  kept: KeptForm | null = null,
) {
  const { status } = problem;
  const signIn = `/sign_in?return_to=${encodeURIComponent(back ?? (status === 404 ? '/organizations' : context.path))}`;
  const next: readonly [href: string, label: string] =
    status >= 500
      ? [context.path, 'Try again']
      : !context.visitor
        ? [signIn, 'Sign in']
        : status === 401
          ? [signIn, 'Sign in with another token']
          : ['/organizations', 'Your brands'];
  const others = kept ? [] : [next];
  const steps = back === null ? others : [[back, 'Go back'] as const, ...others];
  const isReadOnly = status === 401 && context.visitor?.permission === 'read';
  return (
    <Page
      context={context}
      title={isReadOnly ? 'Read-only token' : (titles[status] ?? 'Rejected')}
      part={`status ${status}`}
      crumbs={crumbsInside(context)}
    >
      <section class="sheet problem" aria-label="What you can do">
        {(isReadOnly ? [readOnlyText] : reasonsOf(problem)).map((reason) => (
          <p>{reason}</p>
        ))}
        {status === 413 && <p>{tooLarge}</p>}
        {kept && (
          <PostButton
            to="/sign_in/again"
            csrf={context.csrf ?? ''}
            fields={keptFields(kept)}
            label="Sign in with another token"
          />
        )}
        <p class="actions">
          {steps.map(([href, label], place) => (
            <a href={href} class={place === 0 ? 'button' : undefined}>
              {label}
            </a>
          ))}
          <small>Status {status}</small>
        </p>
      </section>
      {entered.length > 0 && (
        <section class="fields section entered">
          <h2>What you entered</h2>
          <p class="hint">
            {kept
              ? 'Nothing was saved. Copy what you need, or sign in with a token that may save it: the form is kept, except files.'
              : 'Nothing was saved. Copy what you need.'}
          </p>
          {entered.map(({ label, value }, place) => (
            <div class="field">
              <label for={`entered-${place}`}>{label}</label>
              <textarea id={`entered-${place}`} dir="auto" rows={Math.min(12, value.split('\n').length)} readonly>
                {value.startsWith('\n') ? `\n${value}` : value}
              </textarea>
            </div>
          ))}
        </section>
      )}
    </Page>
  );
}

/** A missing address is a 404 in the API, and a page to set one in the browser. */
export const noAddressPage = (context: PageContext, resource: PageDescription) => (
  <Page
    context={context}
    title={resource.heading}
    aside={
      offers(context, endpointFor(resource, 'update')) && <ButtonLink to="/me/address/edit" label={resource.newLabel} />
    }
    json="/me/address.json"
  >
    <p class="empty">{resource.empty}</p>
  </Page>
);
