export const title = 'Command line';

export const parts = {
  start: () => import('../cli/start.mjs'),
  gh: () => import('../cli/gh.mjs'),
};
