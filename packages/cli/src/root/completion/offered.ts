import generated from './spec.generated.json';
import type { Spec } from './spec.js';

/** What Tab offers, worked out from the commands when `npm run generate` ran: there is no time for it when a person waits. */
export const { spec, topics } = generated as unknown as { readonly spec: Spec; readonly topics: readonly string[] };
