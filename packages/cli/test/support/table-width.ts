// Lets cli-table3 measure text with our own function, as tsup.config.ts does in the bundle.
import Module, { createRequire } from 'node:module';
import { widthOf } from '../../src/text/width.js';

const require = createRequire(createRequire(import.meta.url).resolve('cli-table3'));
const file = require.resolve('string-width');
require.cache[file] = Object.assign(new Module(file), { exports: widthOf, loaded: true });
