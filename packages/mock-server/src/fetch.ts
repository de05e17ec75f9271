import type { AnySeed, CheckedSeed, PartialSeed } from './control/new-items.js';
import { createMock, type DemoTokens, type FetchMock, type SeedTokens } from './mock.js';
import type { MarketplaceMockOptions } from './options.js';

export { ControlError } from './control/errors.js';
export type * from './control-types.js';
export type { DemoTokens, FetchMock as MarketplaceMock, SeedTokens } from './mock.js';
export type { MarketplaceMockOptions, PageFixture } from './options.js';

/**
 * Creates a marketplace with its data in memory, without MSW: pass its `fetch` to a client, or call it in a route handler.
 * Two mocks share nothing.
 * @example
 * const { baseUrl, fetch, tokens } = createMarketplaceMock();
 * const mkt = new Marketplace({ token: tokens.ada_write, baseUrl, fetch });
 */
export function createMarketplaceMock(options?: MarketplaceMockOptions<'demo' | 'large'>): FetchMock;
export function createMarketplaceMock(
  options: MarketplaceMockOptions<PartialSeed & { readonly extends: 'demo' | 'large' }>,
): FetchMock<DemoTokens & SeedTokens>;
export function createMarketplaceMock<Text extends string>(
  options: MarketplaceMockOptions<CheckedSeed<Text>>,
): FetchMock<SeedTokens>;
export function createMarketplaceMock(options?: MarketplaceMockOptions<AnySeed>): FetchMock<DemoTokens & SeedTokens> {
  return createMock(options).mock as FetchMock<DemoTokens & SeedTokens>;
}
