import { type CommandGroup, defineCommand } from '../../context/command.js';

const runs = () => import('./run.js');

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;

const script = (shell: (typeof SHELLS)[number]) =>
  defineCommand({
    name: shell,
    output: [],
    summary: `Print the script for ${shell}`,
    examples: [{ line: `mkt completion ${shell}` }, { line: `mkt completion ${shell} --quiet` }],
    run: async (context) => (await runs()).print(context, shell),
  });

export const completion: CommandGroup = {
  name: 'completion',
  summary: 'Tab completion for bash, zsh, fish and PowerShell',
  commands: () => [
    defineCommand({
      name: 'install',
      output: 'nothing',
      summary: 'Install the completion script for a shell',
      notes: [
        'mkt does not change start-up files such as ~/.bashrc. If they need a line, it prints it.',
        'To uninstall it, delete the installed file and that line.',
        'Ids and names come from recent lists, which store them in a file on this machine. Completion uses neither the network nor the keychain.',
      ],
      args: [
        {
          name: 'shell',
          description: 'bash, zsh, fish or powershell; by default the shell in SHELL',
          completes: { choices: SHELLS },
        },
      ],
      examples: [{ line: 'mkt completion install bash' }, { line: 'mkt completion install fish' }],
      run: async (context, { args: [shell] }) => (await runs()).install(context, shell),
    }),
    ...SHELLS.map(script),
  ],
};
