import { defineConfig } from 'tsup';
import { library } from '../../tsup.base.ts';

export default defineConfig(
  library({ entry: { bin: 'src/bin.ts', main: 'src/main.ts' }, format: ['cjs'], platform: 'node' }),
);
