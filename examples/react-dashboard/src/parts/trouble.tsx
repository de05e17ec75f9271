import {
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  ServerError,
  TimeoutError,
} from '@mkt/sdk';

/** What to tell a person, and whether trying again may help. */
function told(error: Error): { readonly title: string; readonly advice: string; readonly retry: boolean } {
  if (error instanceof ConnectionError || error instanceof TimeoutError || error instanceof ServerError)
    return {
      title: 'The marketplace cannot be reached',
      advice: 'Nothing was lost. Try again in a moment.',
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

/** The banner above a screen whose request failed. */
export function Trouble({ error, again }: { readonly error: Error | null; readonly again?: () => void }) {
  if (!error) return null;
  const { title, advice, retry } = told(error);
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
    </div>
  );
}
