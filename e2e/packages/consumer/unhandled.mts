// Both versions of MSW accept the guard against unhandled requests.
import { createMarketplaceMock } from '@mkt/mock-server';
import { setupServer as setupServer2 } from 'msw/node';
import { setupServer as setupServer3 } from 'msw3/node';

const { guard } = createMarketplaceMock();
setupServer2().listen(guard);
setupServer3().listen({ ...guard });
