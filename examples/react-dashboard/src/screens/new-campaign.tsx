import { type CampaignFields, type Marketplace, type Organization, ValidationError } from '@mkt/sdk';
import { type FormEvent, useState } from 'react';
import { ErrorBanner } from '../parts/error-banner.js';
import { Field } from '../parts/field.js';
import { Heading } from '../parts/heading.js';
import { campaignUrl, go, listUrl } from '../route.js';

const words = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);

/** The form's values for the API. Empty fields are omitted, so that the API uses its defaults; it validates the rest. */
function fieldsOf(form: FormData): CampaignFields {
  const text = (name: string): string => String(form.get(name) ?? '').trim();
  const number = (name: string): number => Number(text(name));
  const optional = {
    website: text('website'),
    currency: text('currency').toLowerCase(),
    brief: text('brief'),
  };
  return {
    name: text('name'),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== '')),
    ...(text('countries') !== '' && { countries: words(text('countries').toUpperCase()) }),
    ...(text('cpm_amount') !== '' && { cpm_amount: number('cpm_amount') }),
    ...(text('min_payout_amount') !== '' && { min_payout_amount: number('min_payout_amount') }),
    ...(text('max_payout_amount') !== '' && { max_payout_amount: number('max_payout_amount') }),
  };
}

const inputs = [
  { name: 'name', label: 'Name' },
  { name: 'website', label: 'Website', hint: 'The brand’s own when empty' },
  { name: 'countries', label: 'Countries', hint: 'Two letters each, such as US, CA' },
  { name: 'currency', label: 'Currency', hint: 'Three letters, such as usd' },
  { name: 'cpm_amount', label: 'Per thousand views' },
  { name: 'min_payout_amount', label: 'Smallest payout' },
  { name: 'max_payout_amount', label: 'Largest payout' },
] as const;

export function NewCampaignScreen({ mkt, brand }: { readonly mkt: Marketplace; readonly brand: Organization }) {
  const [errors, setErrors] = useState<Readonly<Record<string, readonly string[]>>>({});
  const [failure, setFailure] = useState<Error | null>(null);
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget;
    setBusy(true);
    setErrors({});
    setFailure(null);
    try {
      const { id } = await mkt.campaigns.create(brand.id, fieldsOf(new FormData(form)));
      // If the user has left the form, don't navigate.
      if (form.isConnected) go(campaignUrl(brand.id, id));
    } catch (problem) {
      if (problem instanceof ValidationError) {
        setErrors(problem.fieldErrors);
        const [first] = Object.keys(problem.fieldErrors);
        form.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
      } else setFailure(problem as Error);
      setBusy(false);
    }
  };

  const known = new Set<string>([...inputs.map(({ name }) => name), 'brief']);
  const others = Object.entries(errors).flatMap(([name, messages]) => (known.has(name) ? [] : messages));
  return (
    <>
      <p className="back">
        <a href={listUrl(brand.id)}>All campaigns</a>
      </p>
      <Heading>New campaign</Heading>
      <ErrorBanner error={failure} wrote />
      {others.length > 0 && (
        <p className="banner" role="alert">
          {others.join(' ')}
        </p>
      )}
      <form className="card wide" noValidate onSubmit={(event) => void submit(event)}>
        {inputs.map((input) => (
          <Field
            key={input.name}
            label={input.label}
            {...('hint' in input && { hint: input.hint })}
            errors={errors[input.name]}
          >
            {(attributes) => (
              <input
                {...attributes}
                name={input.name}
                {...(input.name.endsWith('_amount') && { inputMode: 'numeric' as const })}
              />
            )}
          </Field>
        ))}
        <Field label="Brief" errors={errors.brief}>
          {(attributes) => <textarea {...attributes} name="brief" rows={5} />}
        </Field>
        <button type="submit" className="primary" disabled={busy}>
          {busy ? 'Creating …' : 'Create draft'}
        </button>
      </form>
    </>
  );
}
