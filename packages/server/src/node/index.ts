export { type WebFaceOptions, webFace } from '../web/face.js';
export { ServeError } from './errors.js';
export { openStore } from './open-store.js';
export { type ServeOptions, type Server, serve } from './serve.js';
export { serveCommand } from './serve-command.js';
