export const title = 'Reference server';

export const parts = {
  ratios: () => import('../server/ratios.mjs'),
  rivals: () => import('../server/rivals.mjs'),
  growth: () => import('../server/growth.mjs'),
  start: () => import('../server/start.mjs'),
  postgres: () => import('../server/postgres.mjs'),
};
