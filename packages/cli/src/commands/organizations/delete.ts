import { explained } from '../../api/errors/explain.js';
import { organizations as resource } from '../../api/resources.js';
import type { Invocation } from '../../context/command.js';
import type { Context } from '../../context/context.js';
import { commandWith } from '../../context/next-command.js';
import { goneView } from '../../shared/bulk.js';
import { confirmByName } from '../../shared/confirm.js';
import { sanitizeLine } from '../../text/sanitize.js';

export async function deleteOrganization(context: Context, invocation: Invocation): Promise<void> {
  const [id = ''] = invocation.args;
  const client = await context.client();
  const options = { signal: context.io.interrupted };
  const subject = { verb: 'delete', resource, id };
  const lookUp = async () => {
    const row = await explained(context, subject, () => client.organizations.get(id, options));
    const name = sanitizeLine(row.name);
    return { name, question: `Delete "${name}" with all its campaigns and collabs?` };
  };
  context.print.checkKnown(goneView);
  await confirmByName(context, lookUp, commandWith(invocation, context, {}));
  await explained(context, subject, () => client.organizations.delete(id, options));
  context.note(`Deleted organization ${sanitizeLine(id)}`);
  if (!context.print.forPeople) await context.print.row({ id, ok: true, result: 'deleted' }, goneView);
}
