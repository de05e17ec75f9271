import { fieldsOfKind } from '@mkt/sdk/contract/resources';
import { inParallel } from '../../changes/outcomes.js';
import { declarationOf } from '../../declarations/declaration.js';
import { kinds } from '../../declarations/kinds.js';
import { readRow } from '../../declarations/plan.js';
import { escapeHtml } from '../../text/html-text.js';
import { valueAt } from '../../text/row.js';
import { placed, planFor, targetIn } from './plan.js';
import { type Planning, planResult } from './plan-tool.js';
import { listRows, organization, status, type Texts } from './read-tools.js';
import { failure, type Row } from './result.js';
import { registerTool, type Toolbox } from './tool.js';

interface ReplaceArguments extends Texts<'organization' | 'status' | 'name' | 'country'> {
  readonly find: string;
  readonly replace: string;
  readonly resource?: 'campaigns' | 'collabs';
}

/** HTML with a text replaced in what people read, and in the targets of links; tags stay as they are. */
const replacedIn = (html: string, find: string, replace: string): string =>
  html
    .split(/(<[^>]*>)/)
    .map((part) =>
      part.startsWith('<')
        ? part.replace(/(?<= href=")[^"]*/g, (target) => target.replaceAll(find, () => replace))
        : part.replaceAll(find, () => replace),
    )
    .join('');

/** Plans one change for each brief that has a text. */
export function registerReplaceInBriefs(tools: Toolbox, planning: Planning): void {
  const text = { type: 'string' };
  registerTool<ReplaceArguments>(tools, 'replace_in_briefs', {
    title: 'Replace a text in briefs',
    description: 'Plan to replace a text in many briefs, such as a typo; continues as plan_changes.',
    properties: {
      find: text,
      replace: text,
      resource: { type: 'string', enum: ['campaigns', 'collabs'] },
      organization,
      status,
      name: text,
      country: text,
    },
    required: ['find', 'replace'],
    run: async (args, bound, request) => {
      const { find, replace, resource = 'campaigns', name, country } = args;
      if (find === '') return failure({ message: 'find is empty.' });
      const { signal } = request.mcpReq;
      const listed = await listRows(bound, { ...args, resource }, { name, country, fields: 'id' }, { signal });
      const org = await bound.organization(args.organization);
      const place = await targetIn(bound.quiet({ org, signal }));
      const kind = kinds[resource];
      const [field = ''] = fieldsOfKind(kind.resource.fields, 'richText');
      const found = await inParallel(place.target.context, 'Reading', listed, async ({ id }): Promise<Row[]> => {
        const before = valueAt((await readRow(place.target, kind, String(id)))?.row, field);
        if (typeof before !== 'string') return [];
        const after = replacedIn(before, escapeHtml(find), escapeHtml(replace));
        return after === before ? [] : [{ id, [field]: after }];
      });
      const items = found.flat();
      const searched = { searched: listed.length };
      if (items.length === 0) return failure({ message: `No brief has "${find}".` }, searched);
      const { objects } = declarationOf(placed({ [resource]: items }), 'the plan', undefined);
      return planResult(tools, bound, planning, request, await planFor(bound, place, objects), searched);
    },
  });
}
