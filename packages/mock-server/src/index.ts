export { ControlError } from '@mkt/server';
export type * from './control-types.js';
export { createMarketplaceMock, type DemoTokens, type MarketplaceMock, type SeedTokens } from './mock.js';
export type { MarketplaceMockOptions, PageFixture } from './options.js';
