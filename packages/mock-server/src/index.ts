export { ControlError } from '@mkt/server';
export { createMarketplaceMock, type DemoTokens, type MarketplaceMock, type SeedTokens } from './mock.js';
export type { MarketplaceMockOptions, PageFixture } from './options.js';
export type * from './verbs.js';
