// The guard against unhandled requests is accepted by both versions of MSW.
import { createMarketplaceMock } from '@mkt/mock-server';
import { setupServer as setupServer2 } from 'msw/node';
import { setupServer as setupServer3 } from 'msw3/node';

const { unhandled } = createMarketplaceMock();
setupServer2().listen({ onUnhandledRequest: unhandled });
setupServer3().listen({ onUnhandledFrame: unhandled });
