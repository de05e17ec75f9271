import { fieldsOfKind } from '@mkt/sdk/contract/resources';
import { withErrorContext } from '../api/errors/with-context.js';
import type { Resource } from '../api/labels.js';
import { type Operations, operationsOf } from '../api/operations.js';
import type { Context, Organization } from '../context/context.js';
import type { OpenReading } from '../history/journal.js';
import { idOf, type Row, sanitizeLine, textAt, valueAt } from '../text/values.js';
import { cutTo } from '../text/width.js';
import type { Api, Listing } from './presenter.js';

/** `campaign 12 "Summer UGC"`, as receipts and questions name a resource. */
export function labelOf(resource: Resource, row: Row): string {
  const title = sanitizeLine(textAt(row, resource.title));
  const name = title === '' ? '' : ` "${cutTo(title, 50)}"`;
  return `${resource.singular} ${idOf(row)}${name}`;
}

/** A resource of the service, in the organization that it belongs to, and how commands reach and name it. */
export class Connection {
  constructor(
    readonly context: Context,
    readonly shown: Listing,
    readonly api: Api,
    readonly organization: Organization | undefined,
  ) {}

  /** Runs a call, and explains its errors; `action` and `id` say what failed. */
  explained<Result>(action: string, id: string | undefined, work: () => PromiseLike<Result>): Promise<Result> {
    const { context, organization } = this;
    return withErrorContext(context, { action, resource: this.shown.resource, id, organization }, work);
  }

  get operations(): Operations {
    const { client, organization, options } = this.api;
    return operationsOf(this.shown.resource, client, organization, options);
  }

  /** One of the operations, for a command that the resource has only with it. */
  operation<Name extends keyof Operations>(name: Name): NonNullable<Operations[Name]> {
    const found = this.operations[name];
    if (found) return found;
    throw new Error(`There is no operation ${this.shown.resource.name}.${name}.`);
  }

  /** The list, for the history, if it is read to its end. */
  reading(): OpenReading | undefined {
    const { journal, settings } = this.context;
    if (this.shown.isBelow) return undefined;
    return journal.open(settings.requiredBaseUrl, this.api.organization, this.shown.resource.command);
  }

  /** ` in Acme Cosmetics`, or nothing for a resource of the user. */
  async place(): Promise<string> {
    return this.organization === undefined ? '' : ` in ${await this.organization.name()}`;
  }

  /** A note with a count and a place, which are those of all organizations that say the same. */
  async noteAbout(text: (count: number, where: string) => string, count: number): Promise<void> {
    const { context, organization } = this;
    if (organization === undefined) return context.note(text(count, context.onService));
    await context.noteAbout(
      ({ organizations, counts: [all = 0] }) => text(all, ` in ${organizations}${context.onService}`),
      [count],
    );
  }

  /** ` in Acme Cosmetics on api.example.com`, for questions and receipts of changes. */
  async where(): Promise<string> {
    return (await this.place()) + this.context.onService;
  }

  /** Reports what was done: `Created campaign 12 "Summer UGC" in Acme Cosmetics`, and what is not as it was sent. */
  async receipt(done: string, row: Row, sent: Row): Promise<void> {
    this.context.note(`${done} ${labelOf(this.shown.resource, row)}${await this.where()}`);
    await this.warnLeftOut(sent, row);
  }

  /** Says what the service left out of the briefs that were sent. */
  async warnLeftOut(sent: Row, row: Row): Promise<void> {
    const { resource } = this.shown;
    if (!fieldsOfKind(resource.fields, 'richText').some((field) => typeof valueAt(sent, field) === 'string')) return;
    const { leftOutOf } = await import('../fields/brief.js');
    for (const [field, parts] of leftOutOf(resource, sent, row))
      this.context.warn(`The service left out of the ${field} of ${labelOf(resource, row)}: ${parts}.`);
  }
}

/** The client, and the organization to work in if the resource belongs to one. */
export async function connect(context: Context, shown: Listing): Promise<Connection> {
  const client = await context.client();
  const organization = shown.resource.inOrganization ? await context.organization() : undefined;
  const options = { signal: context.signal };
  return new Connection(context, shown, { client, organization: organization?.id ?? '', options }, organization);
}
