import type { Command, CommandGroup } from '../../context/command.js';

const runs = () => import('./run.js');

const script = (shell: string, ...examples: readonly string[]): Command => ({
  name: shell,
  summary: `Print the script for ${shell}`,
  prints: null,
  examples: [`mkt completion ${shell}`, ...examples].map((line) => ({ line })),
  run: async (context, invocation) => (await runs()).print(context, invocation),
});

export const completion: CommandGroup = {
  name: 'completion',
  summary: 'Completion with Tab, for bash, zsh, fish and PowerShell',
  commands: [
    {
      name: 'install',
      summary: 'Write the script where the shell finds it, and say where that is',
      notes: [
        'Start-up files such as ~/.bashrc are not changed; where they need a line, it is printed.',
        'To be rid of it again, delete the file that it wrote, and that line.',
        'Ids and names are offered of what was listed lately. Lists keep them in a file on this machine; completion asks neither the service nor the keychain.',
      ],
      args: [
        {
          name: 'shell',
          required: false,
          description: 'bash, zsh, fish or powershell; without it the one in SHELL',
          completes: { choices: ['bash', 'zsh', 'fish', 'powershell'] },
        },
      ],
      prints: null,
      examples: [{ line: 'mkt completion install bash' }, { line: 'mkt completion install fish' }],
      run: async (context, invocation) => (await runs()).install(context, invocation),
    },
    script('bash', 'mkt completion bash --quiet'),
    script('zsh', 'mkt completion zsh --quiet'),
    script('fish', 'mkt completion fish --quiet'),
    script('powershell', 'mkt completion powershell --quiet'),
  ],
};
