import type { ApiPromise } from '../api-promise.js';
import { address } from '../contract/address.js';
import type { Address, AddressFields } from '../contract/types.generated.js';
import type { Writable } from '../contract/types.js';
import type { CallOptions } from '../options.js';
import { ResourceClient } from './resource-client.js';

/** The signed-in user's shipping address. */
export class UserAddress extends ResourceClient {
  /** The address. @throws NotFoundError if none is set. */
  get(options?: CallOptions): ApiPromise<Address> {
    return this.call(address.get, [], options);
  }

  /** Changes the address; creates it if none is set, which needs street, city, state, code and country. */
  update(fields: Writable<AddressFields, Address>, options?: CallOptions): ApiPromise<Address> {
    return this.call(address.update, [], options, fields);
  }

  /** Deletes the address; it can be created again. @throws NotFoundError if none is set. */
  delete(options?: CallOptions): ApiPromise<void> {
    return this.call(address.delete, [], options);
  }
}
