import type { ApiPromise } from '../api-promise.js';
import { campaigns } from '../contract/campaigns.js';
import { campaignStates } from '../contract/states.js';
import type { Campaign, CampaignChanges, CampaignFields, CampaignListItem } from '../contract/types.generated.js';
import type { Id, Writable } from '../contract/types.js';
import type { CallOptions, ListOptions, WriteOptions } from '../options.js';
import type { ListPromise } from '../pagination.js';
import { ResourceClient } from './resource-client.js';

const states = ['status', campaignStates] as const;

/** Campaigns of an organization: budgeted creator programs. */
export class Campaigns extends ResourceClient {
  /** The campaigns that the user may see: members see no drafts. Only `get` returns the brief. */
  list(organization: Id, options?: ListOptions): ListPromise<CampaignListItem> {
    return this.pages(campaigns.list, [organization], options);
  }

  /** One campaign with its brief. */
  get(organization: Id, id: Id, options?: CallOptions): ApiPromise<Campaign> {
    return this.call(campaigns.get, [organization, id], options);
  }

  /** Creates a draft; omitted fields get their defaults. Needs the admin role. */
  create(organization: Id, fields: Writable<CampaignFields, Campaign>, options?: CallOptions): ApiPromise<Campaign> {
    return this.call(campaigns.create, [organization], options, fields);
  }

  /**
   * Changes a campaign. Needs the admin role.
   * @throws ValidationError for a changed financial field of a published campaign.
   */
  update(
    organization: Id,
    id: Id,
    fields: Writable<CampaignChanges, Campaign>,
    options?: WriteOptions,
  ): ApiPromise<Campaign> {
    return this.call(campaigns.update, [organization, id], options, fields);
  }

  /** Deletes a draft. @throws ValidationError for any other campaign, or a funded one. */
  delete(organization: Id, id: Id, options?: WriteOptions): ApiPromise<void> {
    return this.call(campaigns.delete, [organization, id], options);
  }

  /** Publishes a draft: it becomes `active`. @throws TransitionError if its state does not allow it. */
  publish(organization: Id, id: Id, options?: CallOptions): ApiPromise<Campaign> {
    return this.action(campaigns.publish, campaigns.get, states, [organization, id], options);
  }

  /** Pauses an active campaign. @throws TransitionError if its state does not allow it. */
  pause(organization: Id, id: Id, options?: CallOptions): ApiPromise<Campaign> {
    return this.action(campaigns.pause, campaigns.get, states, [organization, id], options);
  }

  /** Resumes a paused campaign: it becomes `active`. @throws TransitionError if its state does not allow it. */
  resume(organization: Id, id: Id, options?: CallOptions): ApiPromise<Campaign> {
    return this.action(campaigns.resume, campaigns.get, states, [organization, id], options);
  }
}
