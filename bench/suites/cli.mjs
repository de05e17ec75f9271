export const title = 'Command line';

export const parts = {
  start: () => import('../cli/start.mjs'),
  nodes: () => import('../cli/nodes.mjs'),
  table: () => import('../cli/table.mjs'),
  gh: () => import('../cli/gh.mjs'),
};
