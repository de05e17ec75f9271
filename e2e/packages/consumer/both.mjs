// One program that gets the SDK twice, as a module and by require(), as happens in large programs.
import { createRequire } from 'node:module';
import * as esm from '@mkt/sdk';

const cjs = createRequire(import.meta.url)('@mkt/sdk');
console.log(
  esm.Marketplace.name,
  cjs.NotFoundError === esm.NotFoundError,
  Object.create(cjs.NotFoundError.prototype) instanceof esm.NotFoundError,
);
