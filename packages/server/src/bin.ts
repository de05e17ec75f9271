#!/usr/bin/env node
import { serveCommand } from './node/serve-command.js';

await serveCommand('mkt-server').parseAsync();
