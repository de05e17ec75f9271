import { capital } from '../../api/errors/explain.js';
import { fieldLabel, fieldLines, hanging, INDENT, type Layout, signed, valueText } from '../../changes/plan-lines.js';
import { type Change, countSteps, isWaiting, memberLabel, stateOf } from '../../declarations/plan.js';
import { costLines, costOf, publicationText } from '../../declarations/publication.js';
import { labelOf } from '../../lists/connection.js';
import { withEscapes } from '../../text/escapes.js';
import { groupBy, idOf, sanitizeLine } from '../../text/values.js';

/** The values of a new object in fields that are not declared. */
function defaultsText({ declared, path, row }: Change): string {
  if (row !== undefined || declared.isDeleted) return '';
  const { states, resource } = declared.kind;
  const { defaults: known } = resource;
  const isMoved = path !== undefined && path.actions.length > 0;
  const defaults = { ...(!isMoved && declared.kind.isDraft && { [states.field]: states.initial }), ...known };
  const texts = Object.entries(defaults).flatMap(([field, value]) =>
    field in declared.fields ? [] : `${fieldLabel(field)} ${Array.isArray(value) ? value.join(' and ') : value}`,
  );
  return texts.join(', ');
}

const sharedDefaults = (groups: ReadonlyMap<string, readonly Change[]>, layout: Layout): string[] =>
  [...groups].flatMap(([text, [first, ...others]]) =>
    text === '' || first === undefined || others.length === 0
      ? []
      : hanging('', `By default, for ${others.length + 1} new ${first.declared.kind.resource.plural}: ${text}`, layout),
  );

function changeLines(change: Change, groups: ReadonlyMap<string, readonly Change[]>, layout: Layout): string[] {
  const { declared, row, fields, steps, path, similar } = change;
  const { resource, states } = declared.kind;
  const isNew = row === undefined;
  const name = declared.name === undefined ? '' : ` "${withEscapes(declared.name)}"`;
  const label = isNew
    ? `${resource.singular}${name}`
    : declared.kind.name === 'members'
      ? sanitizeLine(memberLabel(row))
      : labelOf(resource, row);
  const lines: string[] = [];
  if (declared.isDeleted) return signed('-', `delete ${label}`, layout);
  if (isNew) lines.push(...signed('+', `create ${label}`, layout));
  else if (fields.length > 0) lines.push(...signed('~', `update ${label}`, layout));
  for (const field of fields) {
    if (!isNew || field.field !== 'name') lines.push(...fieldLines(resource, field, isNew, layout));
  }
  const defaults = defaultsText(change);
  if (defaults !== '' && groups.get(defaults)?.length === 1)
    lines.push(...hanging(`${INDENT}by default: `, defaults, layout));
  if (path !== undefined && path.actions.length > 0) {
    const isOnly = steps.length === path.actions.length;
    const from = isNew ? states.initial : sanitizeLine(stateOf(declared, row));
    const review = path.waitsForReview ? ', then the marketplace reviews it' : '';
    const text = `${path.actions.join(', ')}${isOnly ? ` ${label}` : ''}: ${from} -> ${path.to}${review}`;
    lines.push(...signed('>', text, layout, isOnly ? '' : INDENT));
  }
  for (const text of publicationText(change, undefined, valueText)) lines.push(...hanging(INDENT, text, layout));
  if (similar !== undefined) {
    const hint = `${capital(labelOf(resource, similar))} already exists. To change it instead, add id: ${idOf(similar)}.`;
    lines.push(...hanging(INDENT, hint, layout).map((line) => layout.style('yellow', line)));
  }
  return lines;
}

/** The differences between the file and the service, one object after the other. */
export function renderPlan(changes: readonly Change[], layout: Layout): string {
  const { create, update, delete: deleted, actions, unchanged } = countSteps(changes);
  const waiting = changes.filter(isWaiting);
  const summary = `Plan: ${create} to create, ${update} to change,${deleted === 0 ? '' : ` ${deleted} to delete,`} ${actions} action${actions === 1 ? '' : 's'}, ${unchanged} unchanged${waiting.length === 0 ? '' : `, ${waiting.length} waiting for review`}.`;
  const groups = groupBy(changes, defaultsText);
  const lines = [
    ...changes.flatMap((change) => (change.steps.length > 0 ? changeLines(change, groups, layout) : [])),
    ...sharedDefaults(groups, layout),
    ...(unchanged > 0 ? signed('=', `${unchanged} unchanged`, layout) : []),
    ...waiting.flatMap(({ declared, row = {} }) =>
      hanging(INDENT, `${labelOf(declared.kind.resource, row)} is waiting for review by the marketplace.`, layout),
    ),
    '',
    ...hanging('', summary, layout),
    ...costLines(changes.flatMap(costOf)).flatMap((line) => hanging('', line, layout)),
  ];
  return `${lines.join('\n')}\n`;
}
