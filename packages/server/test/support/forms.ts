import { demoSite, type Page, type Site, type Visitor } from './visitor.js';

export const campaigns = '/organizations/5/campaigns';
export const collabs = '/organizations/5/collabs';

/** A demo site of its own with Ada signed in, and what its JSON says. */
export async function adaAtDemoSite(): Promise<{
  readonly site: Site;
  readonly ada: Visitor;
  readonly json: (path: string, who?: string) => ReturnType<Response['json']>;
}> {
  const site = await demoSite();
  return {
    site,
    ada: await site.signedIn('ada_write'),
    json: async (path, who = 'ada_write') => (await site.json(who, `${path}.json`)).json(),
  };
}

/** The messages of a field, and whether it is marked as invalid. */
export const fault = (page: Page, name: string) => [
  page.find(`#field-${name}-error`),
  page.attribute(`#field-${name}`, 'aria-invalid'),
];
