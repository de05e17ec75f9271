import { idOf } from './control.js';

interface ErrorSummaryProps {
  readonly reasons: readonly string[];
  /** The messages of fields, with links to them. */
  readonly fields?: readonly { readonly name: string; readonly errors: readonly string[] }[];
}

/** The reasons for the rejection, above the form. The page is focused here, because there are no scripts. */
export const ErrorSummary = ({ reasons, fields = [] }: ErrorSummaryProps) => (
  <div class="flash flash-bad" role="alert" tabindex={-1} autofocus>
    {reasons.map((reason) => (
      <p>{reason}</p>
    ))}
    {fields.length > 0 && (
      <>
        <p>Not saved. See the fields below:</p>
        <ul>
          {fields.map(({ name, errors }) => (
            <li>
              <a href={`#${idOf(name)}`}>{errors.join(' ')}</a>
            </li>
          ))}
        </ul>
      </>
    )}
  </div>
);
