import { type CampaignFields, type Organization, ValidationError } from '@mkt/sdk';
import type { MarketplaceQueries } from '@mkt/sdk/query';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
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

interface Props {
  readonly queries: MarketplaceQueries;
  readonly brand: Organization;
}

export function NewCampaignScreen({ queries, brand }: Props) {
  const creation = useMutation(queries.campaigns.create.mutationOptions());
  const invalid = creation.error instanceof ValidationError ? creation.error : null;
  const errors: Readonly<Record<string, readonly string[]>> = invalid?.fieldErrors ?? {};

  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    // Neither is called if the user has left the form.
    creation.mutate([brand.id, fieldsOf(new FormData(form))], {
      onSuccess: ({ id }) => go(campaignUrl(brand.id, id)),
      onError: (error) => {
        const [first] = Object.keys(error instanceof ValidationError ? error.fieldErrors : {});
        form.querySelector<HTMLElement>(`[name="${first}"]`)?.focus();
      },
    });
  };

  const known = new Set<string>([...inputs.map(({ name }) => name), 'brief']);
  const others = Object.entries(errors).flatMap(([name, messages]) => (known.has(name) ? [] : messages));
  return (
    <>
      <p className="back">
        <a href={listUrl(brand.id)}>All campaigns</a>
      </p>
      <Heading>New campaign</Heading>
      <ErrorBanner error={invalid ? null : creation.error} wrote />
      {others.length > 0 && (
        <p className="banner" role="alert">
          {others.join(' ')}
        </p>
      )}
      <form className="card wide" noValidate onSubmit={submit}>
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
        <button type="submit" className="primary" disabled={creation.isPending}>
          {creation.isPending ? 'Creating …' : 'Create draft'}
        </button>
      </form>
    </>
  );
}
