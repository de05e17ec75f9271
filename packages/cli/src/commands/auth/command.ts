import { type Command, type CommandGroup, defineCommand } from '../../context/command.js';

export const login = defineCommand({
  name: 'login',
  summary: 'Sign in with a personal access token',
  notes: [
    'The token is checked, then stored in the keychain of this computer, or in a file that only you can read. It is sent only to the host that it was stored for.',
    'Create a token on the access tokens page of your account, or with: mkt tokens create',
  ],
  flags: [
    { name: 'with-token', kind: 'switch', description: 'Read the token from stdin instead of prompting' },
    {
      name: 'storage',
      kind: 'text',
      value: 'WHERE',
      choices: ['keyring', 'file'],
      description: 'Where to store it: keyring or file (default: keyring, if available)',
    },
  ],
  newProfile: true,
  prints: null,
  examples: [
    { line: 'mkt login --with-token --storage file < token.txt', about: 'In scripts' },
    {
      line: 'mkt login --with-token --storage file --profile work < token.txt',
      about: 'Add a second account',
    },
  ],
  run: async (context, { flags }) =>
    (await import('./login.js')).login(context, flags['with-token'] === true, flags.storage),
});

export const logout = defineCommand({
  name: 'logout',
  summary: 'Remove the stored token',
  notes: ['The token itself stays valid. To revoke it: mkt tokens revoke'],
  flags: [{ name: 'all', kind: 'switch', description: 'Remove the tokens of all profiles' }],
  newProfile: true,
  prints: null,
  examples: [{ line: 'mkt logout' }, { line: 'mkt logout --all' }],
  run: async (context, { flags }) => (await import('./login.js')).logout(context, flags.all === true),
});

const underAuth = ({ examples }: Command) =>
  examples.map((example) => ({ ...example, line: example.line.replace('mkt ', 'mkt auth ') }));

export const auth: CommandGroup = {
  name: 'auth',
  summary: 'Sign in and out, and show the sign-in status',
  commands: [
    { ...login, examples: underAuth(login) },
    { ...logout, examples: underAuth(logout) },
    defineCommand({
      name: 'status',
      summary: 'Show the service, the token and its organizations',
      flags: [{ name: 'check', kind: 'switch', description: 'Print nothing; the exit code is 0 if signed in, else 4' }],
      prints: null,
      examples: [{ line: 'mkt auth status' }, { line: 'mkt auth status --check' }],
      run: async (context, { flags }) => (await import('./status.js')).status(context, flags.check === true),
    }),
    defineCommand({
      name: 'switch',
      summary: 'Switch to another profile',
      args: [
        {
          name: 'profile',
          required: false,
          description: 'Name of the profile; prompts for it if omitted',
          completes: { from: 'profiles' },
        },
      ],
      prints: null,
      examples: [{ line: 'mkt auth switch work' }, { line: 'mkt auth switch default' }],
      run: async (context, { args: [name] }) => (await import('./status.js')).switchProfile(context, name),
    }),
  ],
};
