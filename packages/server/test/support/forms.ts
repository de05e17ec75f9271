import type { Page } from './visitor.js';

export const campaigns = '/organizations/5/campaigns';
export const collabs = '/organizations/5/collabs';

/** The messages of a field, and whether it is marked as invalid. */
export const fault = (page: Page, name: string) => [
  page.find(`#field-${name}-error`),
  page.attribute(`#field-${name}`, 'aria-invalid'),
];
