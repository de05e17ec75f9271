import type { ActServices, Acts } from './acts.js';

/** The acts, loaded with the first one: in a browser, where few are ever called, they stay out of what is loaded at once. */
export function lazyActs(services: ActServices): Acts {
  const act = <Name extends keyof Acts>(name: Name): Acts[Name] => {
    const run = async (...values: readonly unknown[]): Promise<unknown> => {
      const acts = (await import('./acts.js')).createActs(services);
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
