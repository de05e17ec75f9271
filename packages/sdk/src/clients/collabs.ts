import type { ApiPromise } from '../api-promise.js';
import { collabs } from '../contract/collabs.js';
import { collabStates } from '../contract/states.js';
import type { Collab, CollabFields, CollabListItem } from '../contract/types.generated.js';
import type { Id, Writable } from '../contract/types.js';
import type { CallOptions, ListOptions, WriteOptions } from '../options.js';
import type { ListPromise } from '../pagination.js';
import { ResourceClient } from './resource-client.js';

/** Options of `collabs.create`. */
export interface CollabCreateOptions extends CallOptions {
  /** URL of a product page that the service reads to fill in the draft. */
  website?: string | undefined;
}

const states = ['state', collabStates] as const;

/** Collabs of an organization: briefs that creators apply to. */
export class Collabs extends ResourceClient {
  /** The collabs that the user may see: members see no drafts. Only `get` returns the brief. */
  list(organization: Id, options?: ListOptions): ListPromise<CollabListItem> {
    return this.pages(collabs.list, [organization], options);
  }

  /** One collab with its brief. */
  get(organization: Id, id: Id, options?: CallOptions): ApiPromise<Collab> {
    return this.call(collabs.get, [organization, id], options);
  }

  /** Creates a draft; without fields, from the organization's defaults. */
  create(
    organization: Id,
    fields?: Writable<CollabFields, Collab>,
    options: CollabCreateOptions = {},
  ): ApiPromise<Collab> {
    const website = options?.website;
    return this.call(collabs.create, [organization], options, fields, website === undefined ? undefined : { website });
  }

  /** Changes a collab; `purge_banner_image: '1'` removes the banner. Needs the admin role. */
  update(organization: Id, id: Id, fields: Writable<CollabFields, Collab>, options?: WriteOptions): ApiPromise<Collab> {
    return this.call(collabs.update, [organization, id], options, fields);
  }

  /** Deletes a collab. @throws ValidationError if it has approved submissions. */
  delete(organization: Id, id: Id, options?: WriteOptions): ApiPromise<void> {
    return this.call(collabs.delete, [organization, id], options);
  }

  /** Submits a draft for review. @throws TransitionError if its state does not allow it. */
  submit(organization: Id, id: Id, options?: CallOptions): ApiPromise<Collab> {
    return this.action(collabs.submit, collabs.get, states, [organization, id], options);
  }

  /** Pauses a published collab. @throws TransitionError if its state does not allow it. */
  pause(organization: Id, id: Id, options?: CallOptions): ApiPromise<Collab> {
    return this.action(collabs.pause, collabs.get, states, [organization, id], options);
  }

  /** Publishes a paused collab again. @throws TransitionError if its state does not allow it. */
  unpause(organization: Id, id: Id, options?: CallOptions): ApiPromise<Collab> {
    return this.action(collabs.unpause, collabs.get, states, [organization, id], options);
  }
}
