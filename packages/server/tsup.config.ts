import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.js';

const typed = { index: 'src/index.ts', node: 'src/node/index.ts' };

export default defineConfig(library({ entry: { ...typed, bin: 'src/bin.ts' }, external: [/^node:/] }, typed));
