import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import { pageScriptPath } from '../assets.js';
import type { PageContext } from '../page-context.js';
import { HiddenFields, PostButton } from './buttons.js';
import { Control } from './control.js';
import { Page } from './layout.js';
import { Badge } from './values.js';

/** A user with a public token, from the demo data. */
export interface DemoUser {
  readonly name: string;
  readonly email: string;
  readonly token: string;
  readonly description: string;
  readonly permission: string;
}

/** The form of a session that has ended, to continue after signing in. */
export interface KeptForm {
  readonly path: string;
  /** Names and values, as in a query. */
  readonly fields: string;
  /** The id of the user who filled it in; empty if that is not known. */
  readonly user: string;
}

export const keptFields = ({ path, fields, user }: KeptForm) => ({
  kept_path: path,
  kept_fields: fields,
  kept_user: user,
});

interface SignInProps {
  readonly context: PageContext;
  readonly csrf: string;
  readonly returnTo: string;
  readonly isUndone: boolean;
  readonly users: readonly DemoUser[];
  readonly error: string | null;
  readonly kept: KeptForm | null;
}

export function signInPage({ context, csrf, returnTo, isUndone, users, error, kept }: SignInProps) {
  const fields = { return_to: returnTo, ...(isUndone && { undone: '1' }), ...(kept && keptFields(kept)) };
  // Escaped once: each user's form has them, and they may be long.
  const hidden = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, html`${value}` as HtmlEscapedString]),
  );
  return (
    <Page context={context} title="Sign in" narrow rejected={error !== null}>
      {kept && (
        <div class="flash flash-bad" role="alert">
          <p>
            {context.visitor ? 'Nothing was saved.' : 'Your session has ended, so nothing was saved.'} Sign in to
            continue: this page keeps what you entered, except files.
          </p>
        </div>
      )}
      <p>mkt is a marketplace for creator campaigns. Here you manage your brands, their campaigns and collabs.</p>
      <form method="post" action="/sign_in" class="fields">
        <HiddenFields fields={{ csrf_token: csrf, ...hidden }} />
        <Control
          kind="secret"
          name="token"
          input="token"
          label="Access token"
          hint="You are signed out after a week at the latest, or when the token is revoked."
          errors={error === null ? [] : [error]}
          required
        />
        <button type="submit">Sign in</button>
      </form>
      <details>
        <summary>Where do I get an access token?</summary>
        <p>
          If you are signed in elsewhere, create one under <b>Access tokens</b>. Otherwise ask the operator of this
          server. The <a href="/docs">API reference</a> explains what a token can do.
        </p>
      </details>
      {users.length > 0 && (
        <section>
          <h2>Or sign in as a demo user</h2>
          <ul class="people">
            {users.map(({ name, email, token, description, permission }) => (
              <li>
                <div>
                  <b>{name}</b> <small>{email}</small>
                  <small class="token">{description}</small>
                </div>
                <Badge value={permission} />
                <PostButton
                  to="/sign_in"
                  csrf={csrf}
                  fields={{ token, ...hidden }}
                  label="Sign in"
                  about={`Sign in as ${name}, ${permission}`}
                  quiet
                />
              </li>
            ))}
          </ul>
        </section>
      )}
    </Page>
  );
}

/** More than any form has. */
const maxFields = 200;

/** After signing in again: opens the form with the values that were entered. Without scripts, it needs a button. */
export const continuePage = (context: PageContext, kept: KeptForm, csrf: string) => (
  <Page context={context} title="You are signed in again" narrow>
    <script src={pageScriptPath} type="module" />
    <form method="post" action={kept.path} data-continue>
      <HiddenFields fields={{ csrf_token: csrf }} />
      {[...new URLSearchParams(kept.fields.split('&', maxFields).join('&'))].map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <p>Continue with the form as you left it.</p>
      <button type="submit" autofocus>
        Continue
      </button>
    </form>
  </Page>
);
