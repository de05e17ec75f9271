import { type CommandGroup, defineCommand } from '../../context/command.js';

const runs = () => import('./run.js');

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'];

const script = (shell: string) =>
  defineCommand({
    name: shell,
    summary: `Print the script for ${shell}`,
    prints: null,
    examples: [{ line: `mkt completion ${shell}` }, { line: `mkt completion ${shell} --quiet` }],
    run: async (context) => (await runs()).print(context, shell),
  });

export const completion: CommandGroup = {
  name: 'completion',
  summary: 'Completion with Tab, for bash, zsh, fish and PowerShell',
  commands: [
    defineCommand({
      name: 'install',
      summary: 'Write the script where the shell finds it, and say where that is',
      notes: [
        'Start-up files such as ~/.bashrc are not changed; where they need a line, it is printed.',
        'To uninstall it, delete the file that it wrote, and that line.',
        'Ids and names come from recent lists, which store them in a file on this machine. Completion uses neither the network nor the keychain.',
      ],
      args: [
        {
          name: 'shell',
          required: false,
          description: 'bash, zsh, fish or powershell; without it the one in SHELL',
          completes: { choices: SHELLS },
        },
      ],
      prints: null,
      examples: [{ line: 'mkt completion install bash' }, { line: 'mkt completion install fish' }],
      run: async (context, { args: [shell] }) => (await runs()).install(context, shell),
    }),
    ...SHELLS.map(script),
  ],
};
