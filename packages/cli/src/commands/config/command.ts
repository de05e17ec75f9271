import { type Argument, type CommandGroup, defineCommand } from '../../context/command.js';
import { FORMATS } from '../../text/formats.js';

const runs = () => import('./run.js');

const key: Argument = {
  name: 'key',
  required: true,
  description: 'base_url, org or format',
  completes: { choices: ['base_url', 'org', 'format'] },
};

export const config: CommandGroup = {
  name: 'config',
  summary: 'Settings of the active profile',
  commands: () => [
    defineCommand({
      name: 'list',
      summary: 'List the settings in effect',
      flags: [{ name: 'show-origin', kind: 'switch', description: 'Show where each value comes from' }],
      examples: [{ line: 'mkt config list' }, { line: 'mkt config list --show-origin' }],
      run: async (context, { flags }) => (await runs()).list(context, flags['show-origin'] === true),
    }),
    defineCommand({
      name: 'get',
      summary: 'Print one setting',
      args: [key],
      examples: [{ line: 'mkt config get base_url' }, { line: 'mkt config get format' }],
      run: async (context, { args: [name = ''] }) => (await runs()).get(context, name),
    }),
    defineCommand({
      name: 'set',
      output: 'nothing',
      summary: 'Change a setting of the active profile',
      args: [
        key,
        {
          name: 'value',
          required: true,
          description: 'The new value',
          completes: {
            byArgument: { format: { choices: FORMATS }, org: { listed: 'organizations', names: true } },
          },
        },
      ],
      examples: [{ line: 'mkt config set format json' }, { line: 'mkt config set org 5' }],
      run: async (context, { args: [name = '', value = ''] }) => (await runs()).set(context, name, value),
    }),
    defineCommand({
      name: 'unset',
      output: 'nothing',
      summary: 'Remove a setting, so that its default applies again',
      args: [key],
      examples: [{ line: 'mkt config unset format' }, { line: 'mkt config unset org' }],
      run: async (context, { args: [name = ''] }) => (await runs()).unset(context, name),
    }),
    defineCommand({
      name: 'path',
      summary: 'Print the path of the settings file, and of the cache',
      examples: [{ line: 'mkt config path' }, { line: 'mkt config path --profile work' }],
      run: async (context) => (await runs()).path(context),
    }),
    defineCommand({
      name: 'reset-history',
      output: 'nothing',
      summary: 'Begin a new history, and keep the old file under another name',
      examples: [{ line: 'mkt config reset-history' }, { line: 'mkt config reset-history --quiet' }],
      run: async (context) => (await runs()).resetHistory(context),
    }),
  ],
};
