import { type Command, type CommandGroup, defineCommand } from '../../context/command.js';

export const login = defineCommand({
  name: 'login',
  summary: 'Sign in with a personal access token',
  notes: [
    'The token is checked, then kept in the keychain of this computer, or in a file that only you can read. It is sent to the host that it was stored for and to no other.',
    'Make a token on the access tokens page of your account, or with: mkt tokens create',
  ],
  flags: [
    { name: 'with-token', kind: 'switch', description: 'Read the token from stdin instead of asking' },
    {
      name: 'storage',
      kind: 'text',
      value: 'WHERE',
      choices: ['keyring', 'file'],
      description: 'Where to keep it: keyring or file (default: keyring where there is one)',
    },
  ],
  newProfile: true,
  prints: null,
  examples: [
    { line: 'mkt login --with-token --storage file < token.txt', about: 'In scripts' },
    {
      line: 'mkt login --with-token --storage file --profile work < token.txt',
      about: 'A second account beside the first',
    },
  ],
  run: async (context, { flags }) =>
    (await import('./login.js')).login(context, flags['with-token'] === true, flags.storage),
});

export const logout = defineCommand({
  name: 'logout',
  summary: 'Forget the stored token',
  notes: ['The token itself stays valid: mkt tokens revoke ends it.'],
  flags: [{ name: 'all', kind: 'switch', description: 'Of every profile' }],
  newProfile: true,
  prints: null,
  examples: [{ line: 'mkt logout' }, { line: 'mkt logout --all' }],
  run: async (context, { flags }) => (await import('./login.js')).logout(context, flags.all === true),
});

const underAuth = ({ examples }: Command) =>
  examples.map((example) => ({ ...example, line: example.line.replace('mkt ', 'mkt auth ') }));

export const auth: CommandGroup = {
  name: 'auth',
  summary: 'Sign in and out, see who you are signed in as',
  commands: [
    { ...login, examples: underAuth(login) },
    { ...logout, examples: underAuth(logout) },
    defineCommand({
      name: 'status',
      summary: 'Say where you are signed in, with which token, and what it sees',
      flags: [
        { name: 'check', kind: 'switch', description: 'Print nothing; the exit code tells (0 signed in, 4 not)' },
      ],
      prints: null,
      examples: [{ line: 'mkt auth status' }, { line: 'mkt auth status --check' }],
      run: async (context, { flags }) => (await import('./status.js')).status(context, flags.check === true),
    }),
    defineCommand({
      name: 'switch',
      summary: 'Use another profile from now on',
      args: [
        {
          name: 'profile',
          required: false,
          description: 'Name of the profile; asked for when it is left out',
          completes: { from: 'profiles' },
        },
      ],
      prints: null,
      examples: [{ line: 'mkt auth switch work' }, { line: 'mkt auth switch default' }],
      run: async (context, { args: [name] }) => (await import('./status.js')).switchProfile(context, name),
    }),
  ],
};
