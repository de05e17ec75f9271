import type { MistakeKind } from '@mkt/mock-server';

/** The mistakes that the option `strict` names, each as a front end makes it: the name of its kind, and how. */
export const mistakes = (url: string): Readonly<Record<MistakeKind, () => Promise<unknown>>> => {
  const campaigns = `${url}/organizations/5/campaigns`;
  const token = 'mkt_demo_ada_write';
  const headers = { Accept: 'application/json', Authorization: `Bearer ${token}` };
  const write = (method: string, campaign: object) => ({
    method,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ campaign }),
  });
  return {
    'unknown-field': () => fetch(`${campaigns}.json`, write('POST', { name: 'A', cpmAmount: 5 })),
    'unknown-parameter': () =>
      new Promise((resolve) => {
        const request = new XMLHttpRequest();
        request.open('GET', `${campaigns}.json?per_page=5`);
        for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
        request.onload = resolve;
        request.send();
      }),
    'read-only-field': () => fetch(`${campaigns}/1.json`, write('PATCH', { view_count: 7 })),
    'state-in-body': () => fetch(`${campaigns}/1.json`, write('PATCH', { status: 'active' })),
    'decimal-amount': () => fetch(`${campaigns}.json`, write('POST', { name: 'A', cpm_amount: 12.5 })),
    'undefined-in-path': () => fetch(`${url}/organizations/undefined/campaigns.json`, { headers }),
    'undefined-in-token': () =>
      fetch(`${campaigns}.json`, { headers: { ...headers, Authorization: 'Bearer undefined' } }),
    'malformed-token': () => fetch(`${campaigns}.json`, { headers: { ...headers, Authorization: token } }),
    'unknown-endpoint': () => fetch(`${campaigns}/1/publish`, { method: 'PUT', headers }),
    'foreign-id': () => fetch(`${campaigns}/46.json`, { headers }),
    'missing-accept': () => fetch(`${campaigns}.json`, { headers: { Authorization: `Bearer ${token}` } }),
    'wrong-host': () => fetch('https://api.exmaple.com/organizations.json', { headers }).catch(() => null),
  };
};
