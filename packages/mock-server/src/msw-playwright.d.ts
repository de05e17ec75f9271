/** The part of this optional package that the mock uses. Its own types need those of Playwright Test. */
declare module '@msw/playwright' {
  import type { RequestHandler } from 'msw';

  export function defineNetworkFixture(options: {
    readonly context: object;
    readonly handlers: RequestHandler[];
    readonly skipAssetRequests: boolean;
  }): {
    enable(): Promise<void>;
    disable(): Promise<void>;
    use(...handlers: RequestHandler[]): void;
  };
}
