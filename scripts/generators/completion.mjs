// What Tab offers, from the data of the commands and the contract: the flags that follow from schemas cannot be worked out
// in the time that a person waits for Tab.
import { fromSource } from '../lib/from-source.mjs';

export const output = 'packages/cli/src/root/completion/spec.generated.json';

export async function generate() {
  const { makeSpec } = await fromSource('packages/cli/src/root/completion/make-spec.ts');
  return `${JSON.stringify(await makeSpec())}\n`;
}
