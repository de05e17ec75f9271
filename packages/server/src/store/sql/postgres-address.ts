import { isLoopbackAddress } from '../../loopback.js';
import { StoreConfigurationError } from '../store.js';

/** How a connection is protected: not, with TLS whose certificate is not checked, or with a checked one. */
export type Encryption = 'none' | 'unchecked' | 'checked';

/** One way to connect to one host. */
export interface Endpoint {
  /** Host and port. */
  readonly name: string;
  /** For the driver: one host, and an `sslmode` that it knows. */
  readonly url: string;
  readonly encryption: Encryption;
  /** Whether the host is another machine, so that others can read what is not encrypted. */
  readonly isRemote: boolean;
}

/** What a URL of libpq names: one database on one or several hosts. */
export interface DatabaseAddress {
  /** Hosts and database without user and password, for messages. */
  readonly name: string;
  /** For each host, the ways to connect to it, in the order in which to try them. */
  readonly hosts: readonly (readonly Endpoint[])[];
  /** Whether only a host that accepts writes will do. */
  readonly needsWrites: boolean;
  /** In milliseconds, for each host. */
  readonly connectTimeout: number | undefined;
  /** Whether `?pgbouncer=true` says that a pooler is in front of the database. */
  readonly isPooler: boolean;
}

const notUrl = () =>
  new StoreConfigurationError(
    'The address of the database is not a URL; it looks like postgres://user:password@host:5432/database, or ' +
      'postgres://user:password@host1:5432,host2:5432/database with several hosts.',
  );

const sslModes: Readonly<Record<string, readonly string[]>> = {
  disable: ['disable'],
  allow: ['disable', 'prefer'],
  prefer: ['prefer', 'disable'],
  require: ['require'],
  'verify-ca': ['verify-ca'],
  'verify-full': ['verify-full'],
  'no-verify': ['no-verify'],
};

const sessionAttributes: Readonly<Record<string, boolean>> = { any: false, 'read-write': true, primary: true };

/**
 * Reads `postgres://user:password@h1:5432,h2:5432/database?target_session_attrs=read-write`, also with `host=` and `port=`,
 * as libpq does.
 * @throws {StoreConfigurationError} without the password in its message
 */
export function parseAddress(text: string): DatabaseAddress {
  const [, scheme = '', credentials = '', authority = '', rest = ''] =
    /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#@]*)(.*)$/i.exec(text) ?? [];
  const shared = `${scheme}${credentials}placeholder${rest}`;
  if (scheme === '' || !URL.canParse(shared)) throw notUrl();
  const url = new URL(shared);
  const take = (name: string): string | undefined => {
    const value = url.searchParams.get(name) ?? undefined;
    url.searchParams.delete(name);
    return value;
  };
  const places = placesOf(authority, take('host'), take('port'));
  const attributes = take('target_session_attrs') ?? (places.length > 1 ? 'read-write' : 'any');
  const needsWrites = sessionAttributes[attributes];
  if (needsWrites === undefined)
    throw new StoreConfigurationError(
      `The server writes, so target_session_attrs=${attributes} is of no use to it. Use read-write, primary or any.`,
    );
  const seconds = take('connect_timeout');
  if (seconds !== undefined && !/^\d{1,5}$/.test(seconds))
    throw new StoreConfigurationError('The connect_timeout of the database URL is not a number of seconds.');
  const isPooler = take('pgbouncer') === 'true';
  const mode = take('sslmode') ?? process.env.PGSSLMODE;
  const rootCertificate = url.searchParams.get('sslrootcert') ?? undefined;
  // As in libpq: those of the system, and the host name is checked.
  if (rootCertificate === 'system') url.searchParams.delete('sslrootcert');
  const modes = modesOf(rootCertificate === 'system' ? 'verify-full' : mode, rootCertificate);
  return {
    name: `${places.map(({ name }) => name).join(',')}${url.pathname}`,
    hosts: places.map((place) => endpointsOf(place, url, modes, rootCertificate)),
    needsWrites,
    connectTimeout: seconds === undefined || seconds === '0' ? undefined : Number(seconds) * 1000,
    isPooler,
  };
}

interface Place {
  readonly host: string;
  readonly port: string;
  readonly name: string;
}

/** `host=` and `port=` of the query override those in front of the path. One port is for all hosts. */
function placesOf(authority: string, hosts: string | undefined, ports: string | undefined): Place[] {
  const inFront = authority.split(',').map((each) => /^(\[[^\]]*\]|[^:[\]]*)(?::(\d*))?$/.exec(each));
  if (inFront.includes(null)) throw notUrl();
  const names = hosts?.split(',') ?? inFront.map((each) => decodeURIComponent(each?.[1] ?? ''));
  const numbers = ports?.split(',') ?? (hosts === undefined ? inFront.map((each) => each?.[2] ?? '') : ['']);
  if (numbers.length !== 1 && numbers.length !== names.length)
    throw new StoreConfigurationError(
      `The database URL has ${names.length} hosts, but ${numbers.length} ports. Use one port for each host, or one for all.`,
    );
  return names.map((given, at) => {
    const port = numbers.length === 1 ? numbers[0] : numbers[at];
    const host = given.replace(/^\[(.*)\]$/, '$1') || 'localhost';
    const number = port === undefined || port === '' ? '5432' : port;
    if (!/^\d+$/.test(number) || Number(number) < 1 || Number(number) > 65_535) throw notUrl();
    const shown = host.includes(':') ? `[${host}]` : host;
    return { host, port: number, name: host.startsWith('/') ? host : port ? `${shown}:${port}` : shown };
  });
}

/** The driver's modes to try; undefined for libpq's default, except that connections on this machine are not encrypted. */
function modesOf(mode: string | undefined, rootCertificate: string | undefined): readonly string[] | undefined {
  if (mode === undefined) return undefined;
  const modes = sslModes[mode];
  if (modes === undefined)
    throw new StoreConfigurationError(
      `sslmode=${mode} is not a mode of libpq. Use ${Object.keys(sslModes).slice(0, -1).join(', ')}.`,
    );
  if (mode === 'verify-ca' && rootCertificate === undefined)
    throw new StoreConfigurationError(
      'sslmode=verify-ca needs the certificate of your authority: add sslrootcert=FILE, or use verify-full.',
    );
  return modes;
}

function endpointsOf(
  { host, port, name }: Place,
  shared: URL,
  modes: readonly string[] | undefined,
  rootCertificate: string | undefined,
): Endpoint[] {
  const isSocket = host.startsWith('/');
  const isRemote = !isSocket && host !== 'localhost' && !isLoopbackAddress(host);
  const own = isSocket ? ['disable'] : (modes ?? (isRemote ? ['prefer', 'disable'] : ['disable']));
  return own.map((mode) => {
    const url = new URL(shared);
    if (isSocket) {
      url.searchParams.set('host', host);
      url.searchParams.set('port', port);
    } else {
      url.hostname = host.includes(':') ? `[${host}]` : host;
      url.port = port;
    }
    url.searchParams.set('sslmode', mode);
    // The driver's own reading of some modes is another one.
    if (mode !== 'no-verify') url.searchParams.set('uselibpqcompat', 'true');
    if (mode === 'disable') for (const file of ['sslrootcert', 'sslcert', 'sslkey']) url.searchParams.delete(file);
    return { name, url: url.href, encryption: encryptionOf(mode, rootCertificate), isRemote };
  });
}

function encryptionOf(mode: string, rootCertificate: string | undefined): Encryption {
  if (mode === 'disable') return 'none';
  return mode.startsWith('verify') || (mode === 'require' && rootCertificate !== undefined) ? 'checked' : 'unchecked';
}

/** Where the data goes over the network, for the operator; null on this machine. */
export function protectionOf({ name, encryption, isRemote }: Endpoint): { text: string; isWeak: boolean } | null {
  if (encryption === 'checked')
    return { isWeak: false, text: `The connection to ${name} is encrypted, and its certificate is checked.` };
  if (encryption === 'unchecked')
    return {
      isWeak: true,
      text:
        `The connection to ${name} is encrypted, but its certificate is not checked, so another host can pretend to be the ` +
        'database. Add sslmode=verify-full to the database URL, and sslrootcert=FILE for an authority of your own.',
    };
  if (!isRemote) return null;
  return {
    isWeak: true,
    text:
      `The connection to ${name} is not encrypted, so the network in between can read and change data. ` +
      'Add sslmode=verify-full to the database URL, and enable TLS in PostgreSQL (ssl = on).',
  };
}
