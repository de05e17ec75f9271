import {
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  ServerError,
  TimeoutError,
} from '@mkt/sdk';
import { setToken } from '../session.js';

interface Told {
  readonly title: string;
  readonly advice: string;
  /** Whether trying again may help. */
  readonly retry: boolean;
}

/** @param wrote Whether something was to be changed: then no answer does not mean that nothing happened. */
function told(error: Error, wrote: boolean): Told {
  if (error instanceof ConnectionError || error instanceof TimeoutError || error instanceof ServerError)
    return {
      title: 'The marketplace cannot be reached',
      advice: wrote
        ? 'It may have been done all the same. Look before you try again.'
        : 'Nothing was lost. Try again in a moment.',
      retry: true,
    };
  if (error instanceof AuthenticationError)
    return {
      title: 'You are signed out',
      advice: 'The token is not valid any more. Sign in with another one.',
      retry: false,
    };
  if (error instanceof PermissionError)
    return { title: 'Only admins may do this', advice: error.message, retry: false };
  if (error instanceof NotFoundError)
    return { title: 'There is no such campaign', advice: 'It may have been deleted.', retry: false };
  return { title: 'That did not work', advice: error.message, retry: true };
}

interface TroubleProps {
  readonly error: Error | null;
  readonly wrote?: boolean;
  readonly again?: () => void;
}

/** The banner above a screen whose request failed. */
export function Trouble({ error, wrote = false, again }: TroubleProps) {
  if (!error) return null;
  const { title, advice, retry } = told(error, wrote);
  return (
    <div className="banner" role="alert">
      <div>
        <strong>{title}.</strong> {advice}
      </div>
      {retry && again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
      {error instanceof AuthenticationError && (
        <button type="button" onClick={() => setToken(null)}>
          Sign in
        </button>
      )}
    </div>
  );
}
