import { address } from './address.js';
import { api } from './api.js';
import { apply } from './apply.js';
import { auth, login, logout } from './auth.js';
import { campaigns } from './campaigns.js';
import { collabs } from './collabs.js';
import type { Command } from './command.js';
import { completion } from './completion.js';
import { config } from './config.js';
import { demo } from './demo.js';
import { doctor } from './doctor.js';
import { exportCommand } from './export.js';
import { help } from './help.js';
import { importCommand } from './import.js';
import { members } from './members.js';
import { open } from './open.js';
import { organizations } from './organizations.js';
import { serve } from './serve.js';
import { socialAccounts } from './social-accounts.js';
import { tokens } from './tokens.js';

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
