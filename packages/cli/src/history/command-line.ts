import { quoted } from '../text/quoted.js';

/** Values of these flags may be secret or name people. */
const secretFlag = /^--?(?:email|description|.*(?:token|secret|password|key).*)$/;
const email = /(?<![^\s@'"=])[^\s@'"=]+@[^\s@'"=]+\.[^\s@'"]+/g;
/** Tokens of the service and of others: long words without a meaning. */
const secret = /\b(?:mkt_[\w-]{4,}|gh[a-z]_\w{10,}|sk_\w{10,}|[\w-]{20,}\.[\w-]{20,}\.[\w-]{10,})|\bBearer\s+\S+/g;

const masked = '***';

/** What `mkt api` sends in headers and in its body: the name of a header or a field stays. Switches may precede, as in `-iH`. */
const sentByApi = /^(?:-[iqvy]*[Hf]|--header|--field)=?([^:=]+[:=])./s;

/**
 * A command line as it is recorded: without e-mail addresses, secrets, members' names, the name of the home folder, and what
 * `mkt api` sends.
 * @param known secrets that are in use, and their home folder
 */
export function recordedLine(argv: readonly string[], known: { token: string | undefined; home: string }): string {
  // Members are named by their name or e-mail address: only an id without spaces stays.
  const aboutPeople = argv.some((word) => word === 'members' || word === 'member');
  const isApi = argv.includes('api');
  const words = argv.map((word, index) => {
    const previous = argv[index - 1] ?? '';
    if (isApi) {
      // The flag and its value are one word or two.
      const flag = /^(?:-[iqvy]*[Hf]|--header|--field)$/.test(previous) ? `${previous}=` : '';
      const [, name] = sentByApi.exec(flag + word) ?? [];
      if (name !== undefined) return word.slice(0, word.indexOf(name) + name.length) + masked;
    }
    if (secretFlag.test(previous) && !previous.includes('=')) return masked;
    const [, flag] = /^(--?[\w-]+)=/.exec(word) ?? [];
    if (flag !== undefined && secretFlag.test(flag)) return `${flag}=${masked}`;
    if (aboutPeople && /^[^-].*[^\w-]|^[A-Z][a-z]+$/.test(word)) return masked;
    let text = word.replace(email, masked).replace(secret, masked);
    if (known.token) text = text.replaceAll(known.token, masked);
    if (known.home.length > 1) text = text.replaceAll(known.home, '~');
    return text;
  });
  // What is masked needs no quotes.
  return ['mkt', ...words.map((word) => (/^[\w@%+=:,./*~-]+$/.test(word) ? word : quoted(word)))].join(' ');
}
