import { version } from '../../package.json';
import { address } from '../commands/address/command.js';
import { api } from '../commands/api/command.js';
import { apply } from '../commands/apply/command.js';
import { auth, login, logout, whoami } from '../commands/auth/command.js';
import { campaigns, listing as campaignsListing } from '../commands/campaigns/command.js';
import { changes } from '../commands/changes/command.js';
import { collabs, listing as collabsListing } from '../commands/collabs/command.js';
import { completion } from '../commands/completion/command.js';
import { config } from '../commands/config/command.js';
import { demo } from '../commands/demo/command.js';
import { doctor } from '../commands/doctor/command.js';
import { exportCommand } from '../commands/export/command.js';
import { importCommand } from '../commands/import/command.js';
import { mcp } from '../commands/mcp/command.js';
import { members, listing as membersListing } from '../commands/members/command.js';
import { open } from '../commands/open/command.js';
import { organizations, listing as organizationsListing } from '../commands/organizations/command.js';
import { pull } from '../commands/pull/command.js';
import { report } from '../commands/report/command.js';
import { serve } from '../commands/serve/command.js';
import { socialAccounts, listing as socialAccountsListing } from '../commands/social-accounts/command.js';
import { tokens, listing as tokensListing } from '../commands/tokens/command.js';
import { twin } from '../commands/twin/command.js';
import { undo } from '../commands/undo/command.js';
import { uninstall } from '../commands/uninstall/command.js';
import { upgrade } from '../commands/upgrade/command.js';
import { watch } from '../commands/watch/command.js';
import { type CommandNode, defineCommand } from '../context/command.js';
import { commandsCommand, helpCommand } from './help/command.js';

const versionCommand = defineCommand({
  name: 'version',
  summary: 'Print the version, as mkt --version does',
  notes: [
    'With --json also the commit, and how mkt was installed, such as npm, deb or archive (the executable of a release).',
  ],
  examples: [{ line: 'mkt version' }, { line: 'mkt version --json' }],
  run: async (context) => {
    const { print } = context;
    if (print.isHumanReadable) return context.printValue('version', version);
    const { commit, installation } = await import('../io/installation.js');
    const about = { version, commit, installed: installation() };
    await print.row(about, { columns: [], fields: Object.keys(about) });
  },
});

const listings = [
  campaignsListing,
  collabsListing,
  membersListing,
  organizationsListing,
  socialAccountsListing,
  tokensListing,
];

/** Every command, in the order of the help. */
export const commands: readonly CommandNode[] = [
  login,
  logout,
  auth,
  whoami,
  organizations,
  members,
  campaigns,
  collabs,
  socialAccounts,
  address,
  tokens,
  watch,
  changes,
  report,
  undo,
  exportCommand(listings),
  importCommand,
  apply,
  pull,
  api,
  open(listings),
  config,
  completion,
  doctor,
  demo,
  mcp,
  twin,
  serve,
  versionCommand,
  upgrade,
  uninstall,
  commandsCommand(() => commands),
  helpCommand(() => commands),
];
