import type { Item } from '../page-descriptions.js';
import { Missing, missingIn } from './confirm.js';
import { type ControlProps, grouped } from './control.js';
import type { FormProps } from './form-controls.js';

/** More is too long for any of these fields. Its own field shows all of it. */
const maxShown = 2000;

/** What a form contains, next to it. Without a script for it, it is as old as the page. */
export const Summary = ({ form, controls }: { form: FormProps; controls: readonly ControlProps[] }) => (
  <section class="sheet summary">
    <h2>Summary</h2>
    <dl>
      {controls.flatMap((control) => {
        if (control.kind === 'prose' || control.kind === 'file' || control.kind === 'flag') return [];
        const text = textOf(control);
        return (
          <div>
            <dt>{control.label}</dt>
            <dd>{text === '' ? <span class="none">–</span> : text.slice(0, maxShown)}</dd>
          </div>
        );
      })}
    </dl>
    <p class="hint">Press Preview to update it.</p>
    {form.resource.name === 'campaigns' && !form.item?.published_at && (
      <Missing warnings={missingIn({ ...form.item, ...valuesOf(controls) })} />
    )}
  </section>
);

/** The texts of a control's value: several for a list. */
const textsOf = ({ ticked = [], value = '', choices = [], labels }: ControlProps): readonly string[] =>
  [...ticked, value].flatMap((text) => {
    if (text === '') return [];
    return labels && choices.includes(text) ? labels(text) : text;
  });

function textOf(control: ControlProps): string {
  if (control.kind === 'boolean') return control.value === 'true' ? 'Yes' : 'No';
  const text = textsOf(control).join(', ');
  return control.unit !== undefined && text !== '' ? `${grouped(text)} ${control.unit}` : text;
}

/** The values, as far as publishing warns of missing ones. */
const valuesOf = (controls: readonly ControlProps[]): Item =>
  Object.fromEntries(
    controls.map((control) => {
      const texts = textsOf(control);
      return [control.name, control.ticked ? texts : (texts[0] ?? null)];
    }),
  );
