export const title = 'SDK';

export const parts = {
  cpu: () => import('../sdk/cpu.mjs'),
  pages: () => import('../sdk/pages.mjs'),
  cache: () => import('../sdk/cache.mjs'),
  load: () => import('../sdk/load.mjs'),
};
