import { signIn, toType, usageError } from '../errors/cli-error.js';
import type { Io } from '../io/io.js';
import { FORMATS, type Format } from '../text/formats.js';
import { type Config, type Profile, type Project, readConfig, readProject } from './config-file.js';
import { configDirectory } from './folders.js';

const LOOPBACK = /^(localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether the URL is on this machine. */
export const isLoopback = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

export const isUrl = (text: string): boolean => /^https?:\/\//i.test(text);

/** A URL without its scheme, as users often type it. */
const WITHOUT_SCHEME = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?(?:\/.*)?$/i;

function fullUrlHint(text: string): string {
  const secure = `https://${text}`;
  if (!WITHOUT_SCHEME.test(text) || !URL.canParse(secure)) return 'Use the full URL, such as https://api.example.com';
  return `Use the full URL: ${isLoopback(secure) ? `http://${text}` : secure}`;
}

/** The URL as it is used and stored, without a trailing slash. Plain http is rejected except on this machine. */
export function checkedBaseUrl(text: string, origin: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw usageError(`"${text}" (${origin}) is not a valid URL.`, fullUrlHint(text));
  }
  if (url.username !== '' || url.password !== '') {
    throw usageError(
      `The URL from ${origin} contains a user name or password.`,
      signIn('mkt login', 'Remove it. To sign in'),
    );
  }
  if (url.protocol === 'http:' && !isLoopback(url.href)) {
    throw usageError(
      `${url.origin} (${origin}) would send your token unencrypted.`,
      `Use https://${url.host}; plain http works only on this machine (localhost)`,
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The origin that a stored token belongs to. */
export const hostOf = (baseUrl: string): string => new URL(baseUrl).origin;

/** A value and its origin, for messages: `--org`, `MKT_ORG`, `profile "work"`. */
export interface Setting<Value = string> {
  readonly value: Value;
  readonly origin: string;
}

export interface SettingFlags {
  readonly org?: string | undefined;
  readonly profile?: string | undefined;
  readonly 'base-url'?: string | undefined;
  readonly format?: Format | undefined;
}

type Place = Pick<Io, 'env' | 'cwd' | 'home' | 'platform'>;

const DEFAULT_PROFILE = 'default';

type Candidate = readonly [value: string | undefined, origin: string];

/** The first value that is set. An empty environment variable counts as not set. */
const first = (...candidates: readonly Candidate[]): Setting | undefined => {
  for (const [value, origin] of candidates) if (value) return { value, origin };
  return undefined;
};

/** The settings in effect, in order of precedence: flag, environment, project, profile, default. */
export class Settings {
  readonly directory: string;
  readonly #io: Place;
  readonly #flags: SettingFlags;
  readonly #newProfile: boolean;
  #config: Config | undefined;
  #project: { found: Project | undefined } | undefined;

  /** @param newProfile whether the profile may not exist yet, because signing in creates it */
  constructor(io: Place, flags: SettingFlags, newProfile = false) {
    this.#io = io;
    this.#flags = flags;
    this.#newProfile = newProfile;
    this.directory = configDirectory(io);
  }

  get config(): Config {
    this.#config ??= readConfig(this.directory) ?? { profiles: {} };
    return this.#config;
  }

  get project(): Project | undefined {
    const { cwd } = this.#io;
    this.#project ??= { found: cwd === undefined ? undefined : readProject(cwd) };
    return this.#project.found;
  }

  get profileName(): Setting {
    return (
      first(
        [this.#flags.profile, '--profile'],
        [this.#io.env.MKT_PROFILE, 'MKT_PROFILE'],
        [this.config.active, 'config.json'],
      ) ?? { value: DEFAULT_PROFILE, origin: 'default' }
    );
  }

  /** The active profile. One that is given by name must exist. */
  get profile(): Profile | undefined {
    const { value, origin } = this.profileName;
    const profile = Object.hasOwn(this.config.profiles, value) ? this.config.profiles[value] : undefined;
    if (profile === undefined && origin !== 'default' && !this.#newProfile) {
      const names = Object.keys(this.config.profiles);
      throw usageError(
        `There is no profile "${value}" (from ${origin}).`,
        names.length > 0 ? `Profiles: ${names.join(', ')}` : 'No profiles are stored yet.',
        signIn(`mkt login --profile ${value}`, 'To create it'),
      );
    }
    return profile;
  }

  get #profileOrigin(): string {
    return `profile "${this.profileName.value}"`;
  }

  get baseUrl(): Setting | undefined {
    const found = first(
      [this.#flags['base-url'], '--base-url'],
      [this.#io.env.MKT_BASE_URL, 'MKT_BASE_URL'],
      [this.profile?.base_url, this.#profileOrigin],
    );
    return found && { value: checkedBaseUrl(found.value, found.origin), origin: found.origin };
  }

  get requiredBaseUrl(): string {
    const found = this.baseUrl;
    if (found !== undefined) return found.value;
    throw usageError(
      'No service is configured.',
      signIn('mkt login --base-url https://api.example.com', 'To sign in'),
      'Or set MKT_BASE_URL, or use --base-url',
      toType('mkt demo', 'For a tour with demo data'),
      toType('mkt serve', 'For a service with demo data'),
    );
  }

  get organization(): Setting | undefined {
    const { project } = this;
    return first(
      [this.#flags.org, '--org'],
      [this.#io.env.MKT_ORG, 'MKT_ORG'],
      [project?.org, project?.path ?? ''],
      [this.usesOwnService ? this.profile?.organization?.id : undefined, this.#profileOrigin],
    );
  }

  /** Whether the service is that of the profile: at another one, its organization would be someone else's. */
  get usesOwnService(): boolean {
    const own = this.profile?.base_url;
    return own === undefined || checkedBaseUrl(own, this.#profileOrigin) === this.baseUrl?.value;
  }

  get format(): Setting<Format> {
    if (this.#flags.format !== undefined) return { value: this.#flags.format, origin: '--format' };
    const { project } = this;
    const found = first([project?.format, project?.path ?? ''], [this.profile?.format, this.#profileOrigin]);
    if (found === undefined) return { value: 'table', origin: 'default' };
    const known = FORMATS.find((format) => format === found.value);
    if (known === undefined) {
      throw usageError(`"${found.value}" (${found.origin}) is not an output format.`, `One of: ${FORMATS.join(', ')}`);
    }
    return { value: known, origin: found.origin };
  }
}
