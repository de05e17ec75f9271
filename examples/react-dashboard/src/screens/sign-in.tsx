import { AuthenticationError } from '@mkt/sdk';
import { type FormEvent, useState } from 'react';
import { clientFor, mock } from '../api.js';
import { ErrorBanner } from '../parts/error-banner.js';
import { Field } from '../parts/field.js';
import { setToken } from '../session.js';

/** Signs in with a personal access token, after checking that it works. */
export function SignInScreen() {
  const [token, setTyped] = useState(mock ? mock.tokens.ada_write : '');
  const [error, setError] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);
  const wrong = error instanceof AuthenticationError;

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await clientFor(token.trim()).organizations.list();
      setToken(token.trim());
    } catch (problem) {
      setError(problem as Error);
      setBusy(false);
    }
  };

  return (
    <main className="sign-in">
      <form className="card" onSubmit={(event) => void submit(event)}>
        <title>Sign in · Campaign desk</title>
        <h1>Campaign desk</h1>
        <p>Sign in with a personal access token of the marketplace.</p>
        {!wrong && <ErrorBanner error={error} />}
        <Field
          label="Access token"
          {...(mock && { hint: "On the mock: Ada's token, an admin's. Cleo's is mkt_demo_cleo_write." })}
          errors={wrong ? ['This token is unknown or was revoked.'] : undefined}
        >
          {(attributes) => (
            <input
              {...attributes}
              type={mock ? 'text' : 'password'}
              value={token}
              onChange={({ target }) => setTyped(target.value)}
              autoComplete="off"
              spellCheck={false}
              required
            />
          )}
        </Field>
        <button type="submit" className="primary" disabled={busy}>
          {busy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
    </main>
  );
}
