export const title = 'Mock';

export const parts = {
  calls: () => import('../mock/calls.mjs'),
  start: () => import('../mock/start.mjs'),
};
