import { address } from '../commands/address/command.js';
import { api } from '../commands/api/command.js';
import { apply } from '../commands/apply/command.js';
import { auth, login, logout } from '../commands/auth/command.js';
import { campaigns } from '../commands/campaigns/command.js';
import { collabs } from '../commands/collabs/command.js';
import { completion } from '../commands/completion/command.js';
import { config } from '../commands/config/command.js';
import { demo } from '../commands/demo/command.js';
import { doctor } from '../commands/doctor/command.js';
import { exportCommand } from '../commands/export/command.js';
import { help } from '../commands/help/command.js';
import { importCommand } from '../commands/import/command.js';
import { members } from '../commands/members/command.js';
import { open } from '../commands/open/command.js';
import { organizations } from '../commands/organizations/command.js';
import { serve } from '../commands/serve/command.js';
import { socialAccounts } from '../commands/social-accounts/command.js';
import { tokens } from '../commands/tokens/command.js';
import type { Command } from '../context/command.js';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  login,
  logout,
  auth,
  organizations,
  members,
  campaigns,
  collabs,
  socialAccounts,
  address,
  tokens,
  exportCommand,
  importCommand,
  apply,
  api,
  open,
  config,
  completion,
  doctor,
  demo,
  serve,
  help,
];
