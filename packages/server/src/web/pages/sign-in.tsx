import type { PageContext } from '../page-context.js';
import { Control } from './control.js';
import { page } from './layout.js';
import { HiddenFields, PostButton } from './post-button.js';
import { Badge } from './values.js';

/** A user with a public token, from the demo data. */
export interface DemoUser {
  readonly name: string;
  readonly email: string;
  readonly token: string;
  readonly description: string;
  readonly permission: string;
}

interface SignInProps {
  readonly context: PageContext;
  readonly csrf: string;
  readonly returnTo: string;
  readonly people: readonly DemoUser[];
  readonly error: string | null;
}

export const signInPage = ({ context, csrf, returnTo, people, error }: SignInProps): string =>
  page({
    context,
    title: 'Sign in',
    narrow: true,
    rejected: error !== null,
    children: (
      <>
        <form method="post" action="/sign_in" class="fields">
          <HiddenFields csrf={csrf} />
          <input type="hidden" name="return_to" value={returnTo} />
          <Control
            kind="secret"
            name="token"
            input="token"
            label="Access token"
            hint="You stay signed in for a week, or until the token is revoked."
            value=""
            choices={[]}
            errors={error === null ? [] : [error]}
            required
          />
          <button type="submit">Sign in</button>
        </form>
        {people.length > 0 && (
          <section>
            <h2>Or sign in as a demo user</h2>
            <ul class="people">
              {people.map(({ name, email, token, description, permission }) => (
                <li>
                  <div>
                    <b>{name}</b> <small>{email}</small>
                    <small class="token">{description}</small>
                  </div>
                  <Badge value={permission} />
                  <PostButton
                    to="/sign_in"
                    csrf={csrf}
                    fields={{ token, return_to: returnTo }}
                    label="Sign in"
                    about={`Sign in as ${name}, ${permission}`}
                    quiet
                  />
                </li>
              ))}
            </ul>
          </section>
        )}
      </>
    ),
  });
