import { homedir } from 'node:os';

/** The person's folder; `/` for an account that has none, as containers start programs: no HOME, and a user id that nobody knows. */
export function homeFolder(ask: () => string = homedir): string {
  try {
    return ask() || '/';
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SYSTEM_ERROR') return '/';
    throw error;
  }
}
