import { type Argument, type Command, type CommandGroup, defineCommand } from '../../context/command.js';
import { signIn, usageError } from '../../errors/cli-error.js';

export const login = defineCommand({
  name: 'login',
  output: 'nothing',
  summary: 'Sign in with a personal access token',
  notes: [
    'The token is checked, then stored in the keychain of this computer, or in a file that only you can read. It is sent only to the host that it was stored for.',
    'Create a token on the access tokens page of your account, or with: mkt tokens create',
  ],
  flags: [
    { name: 'with-token', kind: 'switch', description: 'Read the token from a pipe instead of prompting' },
    {
      name: 'storage',
      kind: 'text',
      value: 'WHERE',
      choices: ['keyring', 'file'],
      description: 'Where to store it: keyring or file (default: keyring, if available)',
    },
  ],
  newProfile: true,
  // The message never repeats it.
  rejectArgument: () =>
    usageError(
      'mkt login takes no token as an argument: your shell stores command lines in its history, and other users of this machine can see them.',
      signIn('mkt login', 'At the prompt'),
      signIn('mkt login --with-token < token.txt', 'In scripts'),
      'If that was a token, revoke it on the access tokens page and create another',
    ),
  examples: [
    { line: 'mkt login --with-token --storage file < token.txt', about: 'In scripts' },
    {
      line: 'mkt login --with-token --storage file --profile work < token.txt',
      about: 'Add a second account',
    },
  ],
  run: async (context, { flags }) =>
    (await import('./sign-in.js')).login(context, flags['with-token'] === true, flags.storage),
});

export const logout = defineCommand({
  name: 'logout',
  output: 'nothing',
  summary: 'Remove the stored token',
  notes: ['The token itself stays valid. To revoke it: mkt tokens revoke'],
  flags: [{ name: 'all', kind: 'switch', description: 'Remove the tokens of all profiles' }],
  examples: [{ line: 'mkt logout' }, { line: 'mkt logout --all' }],
  run: async (context, { flags }) => (await import('./sign-in.js')).logout(context, flags.all === true),
});

const status = defineCommand({
  name: 'status',
  summary: 'Show the service, the token and its organizations',
  flags: [{ name: 'check', kind: 'switch', description: 'Print nothing; the exit code is 0 if signed in, else 4' }],
  examples: [{ line: 'mkt auth status' }, { line: 'mkt auth status --check' }],
  run: async (context, { flags }) => (await import('./status.js')).status(context, flags.check === true),
});

export const whoami: Command = {
  ...status,
  name: 'whoami',
  summary: 'The same as mkt auth status',
  examples: [{ line: 'mkt whoami' }, { line: 'mkt whoami --json' }],
};

const profile: Argument = {
  name: 'profile',
  description: 'Name of the profile; prompts for it if omitted',
  completes: { from: 'profiles' },
};

const underAuth = ({ examples }: Command) =>
  examples.map((example) => ({ ...example, line: example.line.replace('mkt ', 'mkt auth ') }));

export const auth: CommandGroup = {
  name: 'auth',
  summary: 'Sign in and out, and show the sign-in status',
  commands: () => [
    { ...login, examples: underAuth(login) },
    { ...logout, examples: underAuth(logout) },
    status,
    defineCommand({
      name: 'list',
      aliases: ['ls'],
      summary: 'List the stored profiles: service, organization, and how each token ends',
      examples: [{ line: 'mkt auth list' }, { line: 'mkt auth list --json' }],
      run: async (context) => (await import('./sign-in.js')).listProfiles(context),
    }),
    defineCommand({
      name: 'switch',
      output: 'nothing',
      summary: 'Switch to another profile',
      args: [profile],
      examples: [{ line: 'mkt auth switch work' }, { line: 'mkt auth switch default' }],
      run: async (context, { args: [name] }) => (await import('./sign-in.js')).switchProfile(context, name),
    }),
    defineCommand({
      name: 'remove',
      output: 'nothing',
      summary: 'Remove a profile: its stored token and its settings',
      notes: ['The token itself stays valid. To revoke it, use mkt tokens revoke before.'],
      args: [profile],
      examples: [{ line: 'mkt auth remove work' }, { line: 'mkt auth remove default --quiet' }],
      run: async (context, { args: [name] }) => (await import('./sign-in.js')).removeProfile(context, name),
    }),
  ],
};
