export { type WebPagesOptions, webPages } from '../web/web-pages.js';
export { ServeError } from './errors.js';
export { openStore } from './open-store.js';
export type { Ready } from './ready-message.js';
export type { Seed } from './seeding.js';
export { type ServeOptions, type Server, serve } from './serve.js';
export { serveCommand } from './serve-command.js';
