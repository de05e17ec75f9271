import type { ActServices, Acts } from './acts.js';
import type { CreatedToken, NewToken, TokenServices } from './tokens.js';

/** The simulated actions, loaded on first use. */
export function lazyActs(services: ActServices): Acts {
  const act = <Name extends keyof Acts>(name: Name): Acts[Name] => {
    const run = async (...values: readonly unknown[]): Promise<unknown> => {
      const acts = (await import('./on-demand.js')).createActs(services);
      return (acts[name] as (...values: readonly unknown[]) => Promise<unknown>)(...values);
    };
    return run as unknown as Acts[Name];
  };
  return {
    fundCampaign: act('fundCampaign'),
    finishCampaign: act('finishCampaign'),
    addCampaignResults: act('addCampaignResults'),
    reviewCollab: act('reviewCollab'),
    addCollabResults: act('addCollabResults'),
    syncSocialAccount: act('syncSocialAccount'),
    addMember: act('addMember'),
    setSubscription: act('setSubscription'),
  };
}

/** Creates tokens; loaded on first use. */
export const lazyTokenMaker =
  (services: TokenServices) =>
  async (token: NewToken): Promise<CreatedToken> =>
    (await import('./on-demand.js')).tokenMaker(services)(token);
