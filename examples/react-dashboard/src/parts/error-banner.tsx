import {
  AuthenticationError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  ServerError,
  TimeoutError,
} from '@mkt/sdk';
import { setToken } from '../session.js';

interface Message {
  readonly title: string;
  readonly advice: string;
  /** Whether trying again may help. */
  readonly retry: boolean;
}

/** @param wrote Whether the request changes data: without a response, the change may have been made. */
function messageFor(error: Error, wrote: boolean): Message {
  if (error instanceof ConnectionError || error instanceof TimeoutError || error instanceof ServerError)
    return {
      title: 'The marketplace cannot be reached',
      advice: wrote
        ? 'The change may have been made. Check before you try again.'
        : 'Nothing was lost. Try again in a moment.',
      retry: true,
    };
  if (error instanceof AuthenticationError)
    return {
      title: 'You are signed out',
      advice: 'The token is no longer valid. Sign in with another one.',
      retry: false,
    };
  if (error instanceof PermissionError)
    return { title: 'Only admins may do this', advice: error.message, retry: false };
  if (error instanceof NotFoundError)
    return { title: 'There is no such campaign', advice: 'It may have been deleted.', retry: false };
  return { title: 'That did not work', advice: error.message, retry: true };
}

interface ErrorBannerProps {
  readonly error: Error | null;
  readonly wrote?: boolean;
  readonly onRetry?: () => void;
}

/** The banner above a screen whose request failed. */
export function ErrorBanner({ error, wrote = false, onRetry }: ErrorBannerProps) {
  if (!error) return null;
  const { title, advice, retry } = messageFor(error, wrote);
  return (
    <div className="banner" role="alert">
      <div>
        <strong>{title}.</strong> {advice}
      </div>
      {retry && onRetry && (
        <button type="button" onClick={onRetry}>
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
