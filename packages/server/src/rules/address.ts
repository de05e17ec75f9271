import { type AddressFields, fieldsOfKind, resources } from '@mkt/sdk/contract';
import { definedFields, withUpdatedAt } from './changes.js';
import type { Context, Input } from './context.js';
import { invalidFields, notFound } from './errors.js';

const requiredOnCreation = fieldsOfKind(resources.address.fields, 'place');

const ownAddress = ({ store, caller }: Context) => store.find('addresses', 'byUser', [caller.userId]);

export async function get(context: Context) {
  const address = await ownAddress(context);
  if (!address) throw noAddress();
  return address;
}

/** Creates the address if the user has none, and changes it otherwise. */
export async function update(context: Context, { fields }: Input<AddressFields>) {
  const { store, caller, now } = context;
  const { latitude, longitude, ...text } = definedFields(fields);
  const changes = { ...text, ...degrees('latitude', latitude), ...degrees('longitude', longitude) };
  const address = await ownAddress(context);
  if (address) return store.update('addresses', address.id, withUpdatedAt(address, changes, now));

  const missing = requiredOnCreation.filter((name) => changes[name] === undefined);
  if (missing.length > 0)
    throw invalidFields(Object.fromEntries(missing.map((name) => [name, [{ code: 'required' }]])));
  return store.insert('addresses', {
    ...(changes as Required<typeof changes>),
    user_id: caller.userId,
    created_at: now,
    updated_at: now,
  });
}

async function remove(context: Context): Promise<void> {
  const address = await ownAddress(context);
  if (!address) throw noAddress();
  await context.store.delete('addresses', address.id);
}

export { remove as delete };

/** Stored as decimal strings. Strings of at most 8 decimals stay as they were sent, others are rounded. */
const degrees = (name: 'latitude' | 'longitude', value: number | string | null | undefined) =>
  value === undefined
    ? {}
    : {
        [name]:
          value === null || /^-?\d+(\.\d{1,8})?$/.test(`${value}`) ? (value?.toString() ?? null) : plain(Number(value)),
      };

/** Without an exponent, which `String(1e-7)` has. */
const plain = (value: number): string =>
  value
    .toFixed(8)
    .replace(/\.?0+$/, '')
    .replace(/^-0$/, '0');

const noAddress = () => notFound('You have no address yet. Create it with PATCH /me/address.json.');
