// One module for the handlers of all resource commands: it becomes one chunk of the bundle.
export { idOf } from '../api/organization.js';
export { changeState, destroy } from './bulk.js';
export { create, draftNext, show, update } from './change.js';
export { list } from './list.js';
