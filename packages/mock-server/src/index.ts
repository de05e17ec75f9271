export { createMarketplaceMock, type MarketplaceMock, type MarketplaceMockOptions } from './mock.js';
