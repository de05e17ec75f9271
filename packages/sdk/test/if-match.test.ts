import { ConfigurationError, PreconditionFailedError } from '@mkt/sdk';
import { describe, expect, it } from 'vitest';
import { client, failure } from './support/client.js';
import { sampleCampaign, sampleOrganization } from './support/samples.js';
import { drop, empty, json, scripted } from './support/scripted-server.js';

const etag = 'W/"abc"';
const changed = json({ error: 'This has changed since you read it.' }, { status: 412 });

describe('the option ifMatch (D106)', () => {
  it('sends the ETag with updates and deletions, of an organization of its own too', async () => {
    await using server = await scripted(json(sampleCampaign()));
    const mkt = client(server.url);
    await mkt.campaigns.update(5, 1, { name: 'New' }, { ifMatch: etag });
    await mkt.organization(5).campaigns.update(1, { name: 'New' }, { ifMatch: etag });
    await mkt.campaigns.update(5, 1, { name: 'New' }, { ifMatch: etag, headers: { 'If-Match': '"other"' } });
    await mkt.campaigns.update(5, 1, { name: 'New' });
    expect(server.seen.map(({ headers }) => headers['if-match'])).toEqual([etag, etag, etag, undefined]);
  });

  it.each(['campaigns', 'collabs'] as const)('%s.delete', async (name) => {
    await using server = await scripted(empty(204));
    await client(server.url)[name].delete(5, 1, { ifMatch: etag });
    expect(server.seen[0]).toMatchObject({ method: 'DELETE', headers: { 'if-match': etag } });
  });

  it('is sent with a file too', async () => {
    await using server = await scripted(json(sampleOrganization()));
    const logo = new Blob(['x'], { type: 'image/png' });
    await client(server.url).organizations.update(5, { logo }, { ifMatch: etag });
    expect(server.seen[0]?.headers).toMatchObject({
      'if-match': etag,
      'content-type': expect.stringContaining('multipart/form-data'),
    });
  });

  it('is what withResponse() gives as meta.etag, from the cache too', async () => {
    await using server = await scripted(json(sampleCampaign(), { headers: { etag } }), empty(304, { etag }));
    const mkt = client(server.url);
    for (const fromCache of [false, true])
      expect((await mkt.campaigns.get(5, 1).withResponse()).meta).toMatchObject({ etag, fromCache });
  });

  it('412 is a PreconditionFailedError, is not retried, and the next read asks the server', async () => {
    const show = json(sampleCampaign(), { headers: { etag } });
    await using server = await scripted(show, changed, show);
    const mkt = client(server.url);
    await mkt.campaigns.get(5, 1);
    const error = await failure(
      mkt.campaigns.update(5, 1, { name: 'New' }, { ifMatch: '"old"' }),
      PreconditionFailedError,
    );
    expect([error.status, error.attempts]).toEqual([412, 1]);
    expect(error.message).toMatch(/returned 412: This has changed since you read it\.$/);
    await mkt.campaigns.get(5, 1);
    expect(server.seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, undefined, undefined]);
  });

  it('says so when an earlier attempt may have made the change', async () => {
    await using server = await scripted(drop, changed);
    const error = await failure(
      client(server.url).campaigns.update(5, 1, { name: 'New' }, { ifMatch: etag }),
      PreconditionFailedError,
    );
    expect(error.attempts).toBe(2);
    expect(error.message).toMatch(/An earlier attempt of the same call may have made the change\.$/);
  });

  it.each([[null], [undefined], [''], [1]])('%j is not an ETag: nothing is sent', async (value) => {
    await using server = await scripted(json(sampleCampaign()));
    const options = { ifMatch: value as unknown as string };
    const error = await failure(client(server.url).campaigns.delete(5, 1, options), ConfigurationError);
    expect(error.message).toBe(
      "The option ifMatch takes the ETag of a representation, which meta.etag is, or 'any' to make the change unchecked.",
    );
    expect(server.seen).toEqual([]);
  });

  it("'any' makes the change unchecked", async () => {
    await using server = await scripted(json(sampleCampaign()));
    await client(server.url).campaigns.update(5, 1, { name: 'New' }, { ifMatch: 'any' });
    expect(server.seen[0]?.headers).not.toHaveProperty('if-match');
  });
});
