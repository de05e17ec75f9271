import { type CampaignFields, type Marketplace, TransitionError, ValidationError } from '@mkt/sdk';

export type Launch =
  | { readonly outcome: 'launched'; readonly id: number | string }
  | { readonly outcome: 'invalid'; readonly problems: Readonly<Record<string, readonly string[]>> }
  | { readonly outcome: 'left as a draft'; readonly id: number | string; readonly reason: string };

/** Creates and publishes a campaign. A form shows `problems` at its fields. */
export async function launch(mkt: Marketplace, organization: number | string, fields: CampaignFields): Promise<Launch> {
  try {
    const { id } = await mkt.campaigns.create(organization, fields);
    try {
      await mkt.campaigns.publish(organization, id);
      return { outcome: 'launched', id };
    } catch (error) {
      if (!(error instanceof TransitionError)) throw error;
      return { outcome: 'left as a draft', id, reason: error.message };
    }
  } catch (error) {
    if (error instanceof ValidationError) return { outcome: 'invalid', problems: error.fieldErrors };
    throw error;
  }
}
