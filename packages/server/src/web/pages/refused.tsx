import { idOf } from './control.js';

interface RefusedProps {
  readonly reasons: readonly string[];
  /** What was wrong at fields: each is one step away. */
  readonly fields?: readonly { readonly name: string; readonly errors: readonly string[] }[];
}

/** Why nothing was done, on top of what was sent. A page that comes with it starts there: no script moves the focus. */
export const Refused = ({ reasons, fields = [] }: RefusedProps) => (
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
