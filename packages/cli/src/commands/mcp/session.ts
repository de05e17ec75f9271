import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { organizationFor, rowsNamed } from '../../api/organization.js';
import { lastFour, resolveToken, tokenVariable } from '../../config/credentials.js';
import { isLoopback, type Setting, Settings } from '../../config/settings.js';
import type { Context, Organization } from '../../context/context.js';
import { CliError, failure, isTyped, usageError } from '../../errors/cli-error.js';
import { withoutTerminal } from './command-line.js';

type SignIn = Awaited<ReturnType<typeof signInOf>>;

async function signInOf({ io, options }: Context) {
  // Reads the files again.
  const settings = new Settings(io, options);
  const service = settings.requiredBaseUrl;
  const { value: token } = await resolveToken(io, settings, service);
  const tokenHash = createHash('sha256').update(token).digest('hex');
  return { service, token, tokenHash, profile: settings.profileName.value, organization: settings.organization };
}

/** Where the changes of a session go, in words. */
export interface Place {
  readonly service: string;
  /** Whether the service runs on this machine, as copies (`mkt twin serve`) do. */
  readonly isLocal: boolean;
  readonly profile: string;
  /** The last characters. */
  readonly token: string;
}

/** How its organization was given, if the session is confined to it. */
const CONFINING: readonly string[] = ['--org', 'MKT_ORG'];

/** One service, one token and, with `--org`, one organization: whatever the settings say later, nothing else is reached. */
export class Bound {
  readonly place: Place;
  readonly tokenHash: string;
  /** With the service and the token of the start instead of those of the settings. */
  readonly context: Context;
  readonly #organization: Setting | undefined;
  #own: Organization | undefined;

  constructor(given: Context, { service, token, tokenHash, profile, organization }: SignIn) {
    const { io, options } = given;
    this.place = { service, isLocal: isLoopback(service), profile, token: lastFour(token) };
    this.tokenHash = tokenHash;
    const env = { ...io.env, MKT_BASE_URL: service, MKT_TOKEN: token };
    this.context = given.derived({ ...io, env }, { ...options, 'base-url': service });
    this.#organization = organization;
  }

  /** The organization to which the session is confined. */
  async confinedTo(): Promise<Organization | undefined> {
    if (this.#organization === undefined || !CONFINING.includes(this.#organization.origin)) return undefined;
    this.#own ??= await organizationFor(this.context, this.#organization);
    return this.#own;
  }

  /** The organization of a call, as a value for --org; undefined if neither the call nor the settings name one. @throws for another one than that of the session */
  async organization(wanted: string | number | undefined): Promise<string | undefined> {
    const own = await this.confinedTo();
    if (own === undefined) return wanted === undefined ? this.#organization?.value : String(wanted);
    const row = { id: own.id, name: wanted === undefined ? '' : await own.name() };
    if (wanted === undefined || rowsNamed([row], String(wanted), () => [row.name]).length > 0) return own.id;
    throw usageError(
      `This session works only in ${await own.label()}, not in "${wanted}".`,
      'A person adds a second server for the other one: mkt mcp install CLIENT --org ID --name NAME',
    );
  }

  /** A context for changes. @param argv what the history records */
  quiet({ org, signal, argv }: { org?: string | undefined; signal?: AbortSignal; argv?: readonly string[] }): Context {
    const { io, options } = this.context;
    return this.context.derived(
      withoutTerminal(io, new PassThrough().resume(), signal),
      { ...options, quiet: true, ...(org !== undefined && { org }) },
      argv,
    );
  }
}

/** What a process of `mkt mcp` works with, from the first sign-in that it finds to the first change of it. */
export class Session {
  #bound: { readonly to: Bound; readonly signIn: SignIn } | undefined;
  #ended: string | undefined;

  constructor(readonly given: Context) {}

  /** @throws if mkt is not signed in, or if the sign-in or the settings have changed since the start */
  async open(): Promise<Bound> {
    let now: SignIn | undefined;
    try {
      now = await signInOf(this.given);
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (this.#bound === undefined)
        throw failure('not_signed_in', error.details.message, ...(error.details.hints ?? []).filter(isTyped));
    }
    if (now !== undefined) this.#bound ??= { to: new Bound(this.given, now), signIn: now };
    const { to, signIn } = this.#bound as { to: Bound; signIn: SignIn };
    const { service, profile, token } = to.place;
    if (!this.#isSame(signIn, now))
      this.#ended ??= `This session has ended, because the sign-in or the settings of mkt have changed since it started. It belonged to ${service}, profile "${profile}", token ending in ${token}. Nothing else was read or changed.`;
    if (this.#ended === undefined) return to;
    throw failure(
      'not_signed_in',
      this.#ended,
      'A person restarts this server in the client, to work with the present settings',
    );
  }

  #isSame(before: SignIn, now: SignIn | undefined): boolean {
    return (
      before.service === now?.service &&
      before.tokenHash === now.tokenHash &&
      before.organization?.value === now.organization?.value &&
      // A token of the environment does not depend on it.
      (before.profile === now.profile || tokenVariable(this.given.io) !== undefined)
    );
  }
}
