import { describe, expect, it } from 'vitest';
import { failureOf } from '../src/commands/mcp/result.js';
import { askDoctor, checkFirst, firstHints, hintText, signIn, toType, usageError } from '../src/errors/cli-error.js';

describe('an error', () => {
  const error = usageError(
    (flag) => `${flag('updated-since')} and ${flag('state')} cannot be used together.`,
    (flag) => `${flag('org')} 5`,
    'Try again later',
    toType('mkt campaigns list', 'To see all'),
    checkFirst('mkt campaigns list', 'Check first'),
    signIn('mkt login'),
    askDoctor('mkt doctor', 'To find out why'),
  );

  it('names flags and commands at the command line', () => {
    expect(error.message).toBe('--updated-since and --state cannot be used together.');
    expect(error.details.hints?.map(hintText)).toEqual([
      '--org 5',
      'Try again later',
      'To see all: mkt campaigns list',
      'Check first: mkt campaigns list',
      'mkt login',
      'To find out why: mkt doctor',
    ]);
  });

  it('names arguments in tools, and only the commands that a person has to run', () => {
    expect(failureOf(error).structuredContent).toEqual({
      note: expect.stringContaining('not instructions'),
      error: {
        code: 'usage',
        message: 'updated_since and status cannot be used together.',
        next: [
          'organization 5',
          'Try again later',
          'A person runs: mkt login',
          'A person runs: To find out why: mkt doctor',
        ],
      },
    });
  });

  it('gives its first hint to the error of several, once', () => {
    const other = usageError('Other.', toType('mkt campaigns list', 'To see all'), 'Second');
    expect(firstHints([other.details, usageError('None.').details, other.details]).map(hintText)).toEqual([
      'To see all: mkt campaigns list',
    ]);
  });
});
