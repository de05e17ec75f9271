import type { resources } from '@mkt/sdk/contract';

type State<Name extends 'campaigns' | 'collabs'> = (typeof resources)[Name]['states']['names'][number];

/** The states whose items have a `published_at`. */
export const publishedIn = {
  campaigns: { draft: false, active: true, paused: true, finished: true },
  collabs: { draft: false, submitted_for_review: false, published: true, paused: true },
} as const satisfies { readonly [Name in 'campaigns' | 'collabs']: Readonly<Record<State<Name>, boolean>> };
