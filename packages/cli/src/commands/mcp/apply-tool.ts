import type { Proposals } from './proposals.js';
import { failure } from './result.js';
import { registerTool, type Toolbox } from './tool.js';

/** Applies plans that the user approves. */
export function registerApplyPlan(tools: Toolbox, proposals: Proposals): void {
  registerTool<{ readonly digest: string }>(tools, 'apply_plan', {
    title: 'Apply a plan',
    description: 'Ask the user to approve a plan, then apply it, once. Returns how to undo it.',
    properties: { digest: { type: 'string' } },
    required: ['digest'],
    writes: true,
    run: async ({ digest }, bound, request) => {
      const proposal = proposals.get(digest);
      if (proposal === undefined)
        return failure({ message: 'There is no plan with this digest. Call plan_changes first.' });
      return proposal.call(tools.server, bound, request);
    },
  });
}
