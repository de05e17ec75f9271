export { fileFromPath } from './file-from-path.js';
export { FileStore, type FileStoreOptions } from './file-store.js';
