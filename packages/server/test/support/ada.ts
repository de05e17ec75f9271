import { beforeEach } from 'vitest';
import { demoSite, type Site, type Visitor } from './visitor.js';

export let site: Site;
export let ada: Visitor;

/** Gives every test of a file a demo site of its own, with Ada signed in. */
export const eachWithAda = () =>
  beforeEach(async () => {
    site = await demoSite();
    ada = await site.signedIn('ada_write');
  });

/** The body of the site's JSON. */
export const json = async (path: string, who = 'ada_write') => (await site.json(who, `${path}.json`)).json();
