import { failure as commandError } from '../../errors/cli-error.js';
import { withHistory } from '../../history/open.js';
import { isDue, leftBehind, planUndo, recordUndo, type Undoing } from '../../undo/undo.js';
import { planChanges, targetIn } from './plan.js';
import { type Planning, planResult } from './plan-tool.js';
import { failure } from './result.js';
import { registerTool, type Toolbox } from './tool.js';

/** What the tools of this server change; the rest is undone by a person. */
const PLANNED: readonly string[] = ['campaigns', 'collabs', 'members', 'address'];

/** The organization whose resources a command changed; undefined if it changed only the address, which is the user's. */
function organizationOf({ command: { id }, steps }: Undoing): string | undefined {
  const [first, ...others] = new Set(steps.flatMap(({ effect }) => effect.organization || []));
  if (others.length === 0 && steps.every(({ effect }) => PLANNED.includes(effect.resource))) return first;
  throw commandError(
    'usage',
    `Command ${id} changed several organizations, or resources that no tool can change.`,
    `A person runs: mkt undo ${id}`,
  );
}

/** Plans to take back a command of this machine. */
export function registerUndo(tools: Toolbox, planning: Planning): void {
  registerTool<{ readonly number?: string | number }>(tools, 'undo', {
    title: 'Undo a command',
    description:
      'Plan to take back what apply_plan or a command did: its undo or command_id, by default the last; continues as plan_changes.',
    properties: { number: { type: 'string' } },
    run: async ({ number }, bound, request) => {
      const { signal } = request.mcpReq;
      const quiet = bound.quiet({ signal });
      const word = number === undefined ? undefined : String(number);
      const undoing = await withHistory(quiet, (file) => planUndo(quiet, file, word));
      const org = await bound.organization(organizationOf(undoing));
      const left = leftBehind(undoing.steps);
      const about = { undoes: undoing.command.id, command: undoing.command.line, ...(left.length > 0 && { left }) };
      const changes = undoing.steps.flatMap(({ change }) => change ?? []);
      const isDone = !undoing.steps.some(isDue);
      // There will be no plan to apply, and the next undo takes the command before it.
      if (isDone && planning.allowWrite)
        await withHistory(quiet, (file) => recordUndo(quiet, file, undoing, async () => undefined));
      if (isDone && left.length > 0) return failure({ message: 'Nothing of it can be undone.' }, about);
      const plan = await planChanges(bound, await targetIn(bound.quiet({ org, signal })), changes, undoing);
      return planResult(tools, bound, planning, request, plan, about);
    },
  });
}
