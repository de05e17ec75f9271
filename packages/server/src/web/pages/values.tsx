import { fieldLabel } from '../../rules/errors.js';
import type { Item } from '../resources.js';

const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const wholeNumber = new Intl.NumberFormat('en-US');

const abbreviations: Readonly<Record<string, string>> = {
  id: 'ID',
  url: 'URL',
  uid: 'UID',
  cpm: 'CPM',
  tiktok: 'TikTok',
};

/** `CPM amount` for `cpm_amount`. */
export const titleOf = (field: string): string =>
  fieldLabel(field).replace(/\b(id|url|uid|cpm|tiktok)\b/gi, (word) => abbreviations[word.toLowerCase()] ?? word);

const badges: ReadonlySet<string> = new Set(['status', 'privacy_setting', 'role', 'permission']);
const addresses: ReadonlySet<string> = new Set(['website', 'account_url', 'url', 'logo_url', 'banner_image_url']);
/** Numbers that are names, not counts. */
const plainNumbers: ReadonlySet<string> = new Set(['id', 'uid']);

export const Badge = ({ value }: { value: string }) => (
  <span class={`badge badge-${/^[a-z_]+$/.test(value) ? value : 'other'}`}>{value.replaceAll('_', ' ')}</span>
);

interface ValueProps {
  readonly field: string;
  readonly value: unknown;
  /** Whether the value is the state of a resource. The `state` of an address is not. */
  readonly isState?: boolean;
}

/** Formats a field's value. Text is always escaped, and URLs are links only with http or https. */
export function Value({ field, value, isState = badges.has(field) }: ValueProps) {
  if (value === null || value === undefined || value === '') return <None />;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return plainNumbers.has(field) ? String(value) : wholeNumber.format(value);
  if (Array.isArray(value)) return value.length === 0 ? <None /> : value.join(', ');
  if (typeof value === 'object') return <Person person={value as Item} />;
  const text = String(value);
  if (field.endsWith('_at') && !Number.isNaN(Date.parse(text))) {
    return <time datetime={text}>{dateTime.format(Date.parse(text))} UTC</time>;
  }
  if (isState) return <Badge value={text} />;
  if (addresses.has(field) && /^https?:\/\//i.test(text)) {
    return (
      <a href={text} rel="noreferrer noopener">
        {text}
      </a>
    );
  }
  return text;
}

const None = () => <span class="none">none</span>;

const Person = ({ person: { name, email } }: { person: Item }) => (
  <>
    {String(name)} <small class="email">{String(email)}</small>
  </>
);
