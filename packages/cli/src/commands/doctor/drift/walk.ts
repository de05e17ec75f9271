import type { Endpoint } from '@mkt/sdk/contract';
import { neverReached } from '../../../api/errors/network.js';
import { CliError } from '../../../errors/cli-error.js';
import { exitCodes } from '../../../errors/exit-codes.js';
import { sanitizeLine } from '../../../text/sanitize.js';
import { checkAnonymous, checkPage } from './answers.js';
import type { Asker } from './asker.js';
import type { Findings } from './findings.js';
import { readList, type Thing } from './read-list.js';
import { readMissing, readShow, readSingle } from './read-one.js';

/** How much is looked at, however much there is. */
const ORGANIZATIONS = 5;
const THINGS = 3;
/** Parts of the walk in a row without an answer after which the service counts as gone. */
const GONE = 3;
/** No id is this one, neither where they count up from 1 nor where they are opaque (D47). */
const NO_ID = '0';

type Place = Readonly<Record<string, string>>;

const fill = (path: string, place: Place): string =>
  path.replaceAll(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(place[name] ?? ''));

const needs = ({ path }: Endpoint, name: string): boolean => new RegExp(`:${name}\\b`).test(path);

const ORGANIZATION_LIST = '/organizations.json';

/** The list that the things of an endpoint stand in: the same path without the id. */
const listPathOf = ({ path }: Endpoint): string => path.replace(/\/:id\.json$/, '.json');

/** The first, the last, and what lies evenly between. */
function spread<Item>(items: readonly Item[], count: number): Item[] {
  if (items.length <= count) return [...items];
  const step = (items.length - 1) / (count - 1);
  return items.filter((_, index) => index === Math.round(Math.round(index / step) * step));
}

/** Reads through the GET endpoints of the contract and notes what departs. */
export class Walk {
  readonly #asker: Asker;
  readonly #findings: Findings;
  /** What was listed, by path. */
  readonly #things = new Map<string, readonly Thing[]>();
  #silent = 0;

  constructor(asker: Asker, findings: Findings) {
    this.#asker = asker;
    this.#findings = findings;
  }

  /**
   * Reads everything that these endpoints give; gives how many organizations were looked into.
   * @param wanted id or name of the one organization to look into, where the person named one
   * @throws CliError where the service is gone or takes the token no more, and where `wanted` is not there
   */
  async read(endpoints: readonly Endpoint[], wanted: string | undefined): Promise<number> {
    const own = endpoints.filter((endpoint) => !needs(endpoint, 'organization_id'));
    const inside = endpoints.filter((endpoint) => needs(endpoint, 'organization_id'));
    await this.#lists(own, {});
    const organizations = await this.#organizations(wanted);
    this.#things.set(ORGANIZATION_LIST, organizations);
    await this.#shows(own, {});
    for (const { id } of organizations) {
      await this.#lists(inside, { organization_id: id });
      await this.#shows(inside, { organization_id: id });
    }
    if (organizations.length === 0)
      for (const endpoint of inside) this.#findings.notChecked(endpoint, 'no organization');
    const door = endpoints.find(({ path }) => path === ORGANIZATION_LIST);
    if (door !== undefined) await this.#door(door);
    return organizations.length;
  }

  async #organizations(wanted: string | undefined): Promise<readonly Thing[]> {
    const listed = this.#things.get(ORGANIZATION_LIST) ?? [];
    if (wanted === undefined) return spread(listed, ORGANIZATIONS);
    const found = listed.find(({ id }) => id === wanted) ?? listed.find(({ name }) => name === wanted);
    if (found !== undefined) return [found];
    // It may stand on a page that was not read.
    const { status } = await this.#asker.ask('GET', fill('/organizations/:id.json', { id: wanted }));
    if (status === 200) return [{ id: wanted, name: undefined }];
    throw new CliError({
      code: 'not_found',
      exitCode: exitCodes.notFound,
      message: `Organization "${sanitizeLine(wanted)}" (--org) was not found, or this token does not see it.`,
      hints: ['mkt organizations list'],
      status,
    });
  }

  async #lists(endpoints: readonly Endpoint[], place: Place): Promise<void> {
    for (const endpoint of endpoints.filter(({ paginated }) => paginated)) {
      const path = fill(endpoint.path, place);
      await this.#part(endpoint, async () => {
        this.#things.set(path, await readList(endpoint, path, this.#asker, this.#findings));
      });
    }
  }

  async #shows(endpoints: readonly Endpoint[], place: Place): Promise<void> {
    for (const endpoint of endpoints.filter(({ paginated }) => !paginated)) {
      const pathOf = (id: string): string => fill(endpoint.path, { ...place, id });
      if (!needs(endpoint, 'id')) {
        await this.#part(endpoint, () => readSingle(endpoint, fill(endpoint.path, place), this.#asker, this.#findings));
        continue;
      }
      const things = this.#things.get(fill(listPathOf(endpoint), place)) ?? [];
      for (const [index, { id }] of spread(things, THINGS).entries()) {
        const subject = { path: pathOf(id), id, first: index === 0 };
        await this.#part(endpoint, () => readShow(endpoint, subject, this.#asker, this.#findings));
      }
      if (things.length === 0) this.#findings.notChecked(endpoint, 'its list is empty');
      else await this.#part(endpoint, () => readMissing(endpoint, pathOf(NO_ID), this.#asker, this.#findings));
    }
  }

  /** What stands before every endpoint alike, looked at once: the token, and the form that is asked for. */
  async #door(endpoint: Endpoint): Promise<void> {
    const { ask } = this.#asker;
    await this.#part(endpoint, async () => {
      checkAnonymous(endpoint, await ask('GET', endpoint.path, { anonymous: true }), this.#findings);
      checkPage(endpoint, await ask('GET', endpoint.path, { headers: { accept: 'text/html' } }), this.#findings);
    });
  }

  /** Runs a part of the walk. Where no answer comes in it, that is noted and the walk goes on. */
  async #part(endpoint: Endpoint, work: () => Promise<void>): Promise<void> {
    if (this.#asker.late()) {
      this.#findings.notChecked(endpoint, 'the time was up');
      return;
    }
    try {
      await work();
      this.#silent = 0;
    } catch (error) {
      if (!(error instanceof CliError) || error.exitCode !== exitCodes.network) throw error;
      this.#silent += 1;
      // Whoever never answered at all is not waited for again.
      const nobody = this.#findings.empty && (error.details.code === 'timeout' || neverReached(error.details.cause));
      if (nobody || this.#silent >= GONE) throw error;
      const got = error.details.code === 'timeout' ? 'silence' : 'a broken connection';
      this.#findings.departs(endpoint, { kind: 'no answer', where: '(whole)', expected: 'an answer', got });
    }
  }
}
