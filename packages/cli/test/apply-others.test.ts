import type { Server } from '@mkt/server/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyEnvironment } from './support/apply.js';
import { startService, tokens } from './support/service.js';

let service: Server;
beforeEach(async () => {
  service = await startService();
});
afterEach(() => service.close());

const get = async (path: string) => {
  const headers = { Accept: 'application/json', Authorization: `Bearer ${tokens.ada_write}` };
  const response = await fetch(`${service.url}${path}`, { headers });
  return { status: response.status, body: await response.json() };
};
const roleOf = async (email: string) => {
  const { body } = await get('/organizations/5/members.json');
  return body.find(({ user }: { user: { email: string } }) => user.email === email)?.role;
};

describe('members, the address and deletions in a declaration', () => {
  const declaration = `
organization: 5
campaigns: [{id: 1, delete: true}]
members: [{id: cleo@acme.example, role: admin}]
address: {city: Berlin, country_code: de}
`;

  it('are planned and applied, and a second run has nothing left', async () => {
    const { apply } = applyEnvironment(service.url);
    const { stdout } = await apply(declaration, ['--dry-run'], { columns: 100 });
    expect(stdout).toContain('- delete campaign 1 "Summer UGC Campaign"');
    expect(stdout).toMatch(/~ update member mem_5_cleo ".*" \(cleo@acme\.example\)\n {4}role: member -> admin/);
    expect(stdout).toMatch(/~ update address \d+ "10300 Torre Avenue"\n {4}city: Cupertino -> Berlin/);
    expect(stdout).toContain('Plan: 0 to create, 2 to change, 1 to delete, 0 actions, 0 unchanged.');
    expect(await apply(declaration, ['--yes'])).toMatchObject({ code: 0 });
    expect((await get('/organizations/5/campaigns/1.json')).status).toBe(404);
    expect(await roleOf('cleo@acme.example')).toBe('admin');
    expect((await get('/me/address.json')).body).toMatchObject({ city: 'Berlin', country_code: 'DE', latitude: null });
    const again = await apply(declaration.replace(/campaigns.*\n/, ''), ['--dry-run'], { columns: 100 });
    expect(again.stdout).toContain('2 unchanged');
  });

  it('can be rehearsed', async () => {
    const { apply } = applyEnvironment(service.url);
    const { code, stdout } = await apply(declaration, ['--rehearse', '--dry-run'], { columns: 100 });
    expect(code).toBe(0);
    expect(stdout).toContain('1 change would work, none would be rejected.');
  });

  it.each([
    ['campaigns: [{id: 3, delete: true}]', /campaign 3 ".*" cannot be deleted: it is active\./],
    ['campaigns: [{id: 1, delete: true, name: X}]', 'a campaign that is deleted must have only its id.'],
    ['campaigns: [{name: Summer, delete: true}]', 'a campaign that is deleted must have only its id.'],
    ['campaigns: [{id: 1, delete: yes}]', 'delete must be true, or left out'],
    ['collabs: [{id: 2, delete: true}]', /only drafts are deleted here, and collab 2 .*A person runs: mkt collabs/],
    ['members: [{id: mem_5_ada, role: member}]', /\(ada@acme\.example\) owns the organization/],
    ['members: [{id: missing@acme.example, role: member}]', 'member missing@acme.example was not found'],
    ['members: [{id: mem_5_ben, role: owner}]', 'role must be member or admin'],
    ['members: [{id: mem_5_ben, rolle: admin}]', 'unknown key "rolle" in a member. Did you mean role?'],
    ['address: {citty: Berlin}', 'unknown key "citty" in an address. Did you mean city?'],
    ['address: {country_code: Germany}', 'Germany'],
  ])('are checked before anything is sent: %s', async (text, message) => {
    const { apply } = applyEnvironment(service.url);
    const { code, stderr } = await apply(`organization: 5\n${text}\n`, ['--yes']);
    expect([2, 3]).toContain(code);
    expect(stderr).toMatch(message);
  });

  it('leaves a draft that has changed since the plan was shown', async () => {
    const { apply } = applyEnvironment(service.url);
    const headers = {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      Authorization: `Bearer ${tokens.ada_write}`,
    };
    const confirm = async () => {
      const body = JSON.stringify({ campaign: { cpm_amount: 999 } });
      await fetch(`${service.url}/organizations/5/campaigns/1.json`, { method: 'PATCH', headers, body });
      return true;
    };
    const answers = { confirm } as never;
    const { code, stderr } = await apply('organization: 5\ncampaigns: [{id: 1, delete: true}]\n', [], {
      columns: 200,
      answers,
    });
    expect(code).toBe(6);
    expect(stderr).toContain('Campaign 1 has changed since the plan was shown: cpm_amount is 999 now');
    expect((await get('/organizations/5/campaigns/1.json')).status).toBe(200);
  });
});
