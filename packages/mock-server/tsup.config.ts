import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.js';

const entry = { index: 'src/index.ts' };

export default defineConfig(library({ entry, format: ['esm', 'cjs'] }, entry));
