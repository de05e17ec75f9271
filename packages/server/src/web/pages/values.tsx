import { computedFields, computedValue, hasKind, type Kind } from '@mkt/sdk/contract';
import { raw } from 'hono/html';
import type { Child, PropsWithChildren } from 'hono/jsx';
import { inPieces, itemsPerTurn } from '../../pieces.js';
import { fieldLabel } from '../../rules/problems.js';
import { richText } from '../../rules/rich-text.js';
import type { PageContext } from '../page-context.js';
import { type Item, type PageDescription, valueIn } from '../page-descriptions.js';
import { countryName, currencyName, platformName } from './countries.js';

const dateTime = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
export const wholeNumber = new Intl.NumberFormat('en-US');

const abbreviations: Readonly<Record<string, string>> = {
  id: 'ID',
  url: 'URL',
  uid: 'UID',
  cpm: 'CPM',
  tiktok: 'TikTok',
};

/** Shorter than the names of the fields. */
const labels: Readonly<Record<string, string>> = {
  total_budget_amount: 'Budget',
  used_amount: 'Used',
  unused_amount: 'Left',
  view_count: 'Views',
  submissions_count: 'Submissions',
  completed_count: 'Completed',
  subscriber_count: 'Subscribers',
  video_count: 'Videos',
  likes_count: 'Likes',
  platform_ids: 'Platforms',
  platform_id: 'Platform',
  published_at: 'Published',
  paused_at: 'Paused',
  created_at: 'Created',
  updated_at: 'Updated',
  last_synced_at: 'Synced',
  // In a browser, it leads to the same page.
  url: 'API URL',
};

/** `CPM amount` for `cpm_amount`. */
export const titleOf = (field: string): string =>
  labels[field] ??
  fieldLabel(field).replace(/\b(id|url|uid|cpm|tiktok)\b/gi, (word) => abbreviations[word.toLowerCase()] ?? word);

const namesOf = { country: countryName, platform: platformName, currency: currencyName, none: String };

/** The label of a field of the API, or of a computed one. */
export const labelIn = ({ computed }: PageDescription, field: string): string =>
  computed[field]?.label ?? titleOf(field);

/** The used part of a budget in percent; null without a budget. */
export const usedPercent = (used: unknown, budget: unknown): number | null =>
  computedValue(computedFields.campaigns.used_percent, { used_amount: used, total_budget_amount: budget });

/** The used part of a budget. It is green, amber from 80 %, and red from 100 %: percentages have one decimal. */
export const UsedMeter = ({ percent }: { percent: number }) => (
  <meter
    min={0}
    max={100}
    value={Math.min(percent, 100)}
    optimum={0}
    low={79.9}
    high={99.9}
    aria-label="Used part of the budget"
  />
);

/** `1 campaign`, `1,000 campaigns`. */
export const counted = (count: number, { singular, plural }: Pick<PageDescription, 'singular' | 'plural'>): string =>
  `${wholeNumber.format(count)} ${count === 1 ? singular : plural}`;

/** `Submit 2 collabs for review` for the label `Submit for review`. */
export const labelWith = (label: string, object: string): string =>
  label.replace(/^\S+/, (verb) => `${verb} ${object}`);

export const Badge = ({ value }: { value: string }) => (
  <span class={`badge badge-${/^[a-z_]+$/.test(value) ? value : 'other'}`}>{value.replaceAll('_', ' ')}</span>
);

/** The day of a time. With scripts, in the browser's zone. */
export const Day = ({ at }: { at: string }) => <time datetime={at}>{day.format(Date.parse(at))} UTC</time>;

/** An element for each item, such as the rows of a long table. */
export const renderEach = async <Item,>(
  { turn }: Pick<PageContext, 'turn'>,
  items: readonly Item[],
  render: (item: Item) => Child,
) => raw((await inPieces(items, (piece) => piece.map(render).join(''), itemsPerTurn, turn)).join(''));

interface FieldValueProps {
  readonly resource: PageDescription;
  readonly item: Item;
  readonly field: string;
  /** Whether it is in a table, where the percentage has its own column. */
  readonly isCell?: boolean;
}

/** The value of a field of an item. The state of a resource is a badge, and the used part of a budget has a bar. */
export function FieldValue({ resource, item, field, isCell = false }: FieldValueProps) {
  const hasMeter = field === (isCell ? 'used_percent' : 'used_amount');
  const percent = hasMeter ? usedPercent(item.used_amount, item.total_budget_amount) : null;
  return (
    <>
      {textOrElement(resource, item, field)}
      {percent !== null && <UsedMeter percent={percent} />}
    </>
  );
}

/** A name in a list of values, with its value: a dash for an empty text. */
export const Term = ({ name, children }: PropsWithChildren<{ name: Child }>) => (
  <div>
    <dt>{name}</dt>
    <dd>{children === '' ? <span class="none">–</span> : children}</dd>
  </div>
);

interface FieldListProps {
  readonly resource: PageDescription;
  readonly item: Item;
  readonly fields: readonly string[];
}

export const FieldList = ({ resource, item, fields }: FieldListProps) => (
  <dl>
    {fields.map((field) => (
      <Term name={labelIn(resource, field)}>
        <FieldValue resource={resource} item={item} field={field} />
      </Term>
    ))}
  </dl>
);

/** Text is always escaped, and URLs are links only with http or https. */
function textOrElement(resource: PageDescription, item: Item, field: string) {
  const { computed, fields, money } = resource;
  const value = valueIn(resource, item, field);
  const isA = (kind: Kind): boolean => hasKind(fields, field, kind);
  if (value === null || value === undefined || value === '') return <span class="none">–</span>;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') {
    if (isA('id')) return String(value);
    const { unit = isA('amount') ? 'amount' : 'number' } = computed[field] ?? {};
    const currency = money ? ` ${String(item[money.currency]).toUpperCase()}` : '';
    const units = { amount: currency, percent: '\u00A0%', number: '' };
    return wholeNumber.format(value) + units[unit];
  }
  const nameOf = namesOf[(['country', 'platform', 'currency'] as const).find(isA) ?? 'none'];
  if (Array.isArray(value)) {
    const named = value.map(String).map(nameOf);
    return named.length === 0 ? <span class="none">–</span> : named.join(', ');
  }
  if (typeof value === 'object') return <Person person={value as Item} />;
  const text = String(value);
  if (isA('timestamp') && !Number.isNaN(Date.parse(text))) {
    return <time datetime={text}>{dateTime.format(Date.parse(text))} UTC</time>;
  }
  if (isA('state') || isA('choice')) return <Badge value={text} />;
  // The URL of the item leads to the same page.
  if ((isA('url') || isA('image')) && !isA('identity') && /^https?:\/\//i.test(text)) {
    return (
      <a href={text} rel="noreferrer noopener">
        {text}
      </a>
    );
  }
  return nameOf(text);
}

const Person = ({ person: { name, email } }: { person: Item }) => (
  <>
    {String(name)} <small class="email">{String(email)}</small>
  </>
);

/** Below the headings of the page. */
const lowered = (html: string): string =>
  html.replace(/<(\/?)h([1-4])>/g, (_, slash: string, level: string) => `<${slash}h${Math.min(6, Number(level) + 2)}>`);

/** The content security policy lets browsers load no images of other hosts, so their addresses are shown. */
const imageElsewhere = /<img\b[^>]*?\ssrc="((?:https?:)?\/\/[^"]*)"[^>]*>/g;

/** How many images of a stored brief are not shown. */
export const imagesElsewhere = (html: string): number => html.match(imageElsewhere)?.length ?? 0;

const withNamedImages = (html: string): string =>
  html.replace(imageElsewhere, (image, address: string) => {
    const [, alt = ''] = /\salt="([^"]+)"/.exec(image) ?? [];
    return `<span>[Image${alt && ` "${alt}"`}: ${address}]</span>`;
  });

/** A table that is wider than its page scrolls, also with the keyboard. */
const withFocusableTables = (html: string): string => html.replace(/<table\b/g, '<table tabindex="0"');

/** Sanitized on write, and again here, because a seed file or an older version may have allowed more. */
export const BriefText = ({ html }: { html: string }) => (
  // Plain text has no elements for its paragraphs.
  <div class={/<[a-z]/i.test(html) ? 'prose' : 'prose plain'} dir="auto">
    {raw(withFocusableTables(withNamedImages(lowered(richText(html)))))}
  </div>
);
