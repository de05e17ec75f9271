import type { Row } from '../../store/tables.js';
import { acmeLogo, globexLogo } from './images.js';
import type { Timeline } from './timeline.js';

const acmeTemplate =
  '<p>Tell us what your skin routine looks like, then try the product on camera.</p>' +
  '<ul><li>Film in daylight, upright, 20 to 45 seconds.</li><li>Show the label once.</li>' +
  '<li>No medical claims.</li></ul>';

interface Brand {
  readonly id: number;
  readonly name: string;
  readonly privacy: 'public' | 'private' | 'restricted';
  readonly website: string | null;
  readonly logo?: string;
  /** In the order in which they joined. The first one of a brand with an owner is the owner. */
  readonly people: readonly (readonly [person: string, role: 'owner' | 'admin' | 'member'])[];
}

const brands: readonly Brand[] = [
  {
    id: 5,
    name: 'Acme Cosmetics',
    privacy: 'public',
    website: 'https://acme.example',
    logo: acmeLogo,
    people: [
      ['ada', 'owner'],
      ['ben', 'admin'],
      ['cleo', 'member'],
    ],
  },
  {
    id: 6,
    name: 'Globex Snacks',
    privacy: 'private',
    website: 'https://globex.example',
    logo: globexLogo,
    people: [['dan', 'owner']],
  },
  { id: 7, name: 'Initech Audio', privacy: 'restricted', website: null, people: [['ada', 'owner']] },
  {
    id: 8,
    name: 'Orphan Labs',
    privacy: 'public',
    website: 'https://orphan.example',
    people: [
      ['ben', 'admin'],
      ['cleo', 'member'],
    ],
  },
  {
    id: 9,
    name: 'Globex Outlet',
    privacy: 'public',
    website: 'https://outlet.globex.example',
    people: [['dan', 'owner']],
  },
  { id: 10, name: 'Solo Records', privacy: 'public', website: 'https://solo.example', people: [['ben', 'admin']] },
];

export const organizations = (next: Timeline): Row<'organizations'>[] =>
  brands.map(({ id, name, privacy, website, logo }) => {
    const created_at = next();
    return {
      id,
      name,
      privacy_setting: privacy,
      website,
      logo_key: logo ?? null,
      default_currency: 'usd',
      default_countries: id === 5 ? ['US', 'CA'] : ['US'],
      brief_template: id === 5 ? acmeTemplate : null,
      has_active_subscription: id === 6,
      created_at,
      updated_at: created_at,
    };
  });

export const memberships = (next: Timeline): Row<'memberships'>[] => {
  const joined = brands.flatMap(({ id, people }) => people.map(([person, role]) => ({ id, person, role })));
  return joined.map(({ id, person, role }, index) => {
    const created_at = next();
    return {
      id: `mem_${id}_${person}`,
      position: index + 1,
      organization_id: id,
      user_id: `usr_${person}`,
      // The owner's role is always `admin` (D26).
      role: role === 'owner' ? 'admin' : role,
      is_owner: role === 'owner',
      created_at,
      updated_at: created_at,
    };
  });
};
