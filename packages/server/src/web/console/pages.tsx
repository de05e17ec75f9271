import type { Child } from 'hono/jsx';
import type { ClockState } from '../../control/clock.js';
import type { Fault } from '../../control/fault-rules.js';
import type { LoggedRequest } from '../../control/request-log.js';
import type { PageContext } from '../page-context.js';
import { Control } from '../pages/control.js';
import { page } from '../pages/layout.js';
import { HiddenFields, PostButton } from '../pages/post-button.js';
import { Value } from '../pages/values.js';
import { type ActionForm, clockForms, dataForms, faultForm, marketplaceForms } from './forms.js';

/** The path that handles the console's forms. */
export const actionPath = '/__mkt/do';

const tabs = [
  ['/__mkt', 'Requests'],
  ['/__mkt/faults', 'Faults'],
  ['/__mkt/acts', 'Marketplace'],
  ['/__mkt/data', 'Data and clock'],
] as const;

export interface ConsoleContext {
  readonly context: PageContext;
  readonly csrf: string;
}

const isAt = ({ path }: PageContext, href: string): boolean => path.split('?', 1)[0] === href;

const frame = ({ context }: ConsoleContext, children: Child): string =>
  page({
    context,
    title: 'Console',
    part: tabs.find(([href]) => isAt(context, href))?.[1] ?? '',
    children: (
      <>
        <nav class="tabs" aria-label="Console">
          {tabs.map(([href, label]) => (
            <a href={href} {...(isAt(context, href) && { 'aria-current': 'page' as const })}>
              {label}
            </a>
          ))}
        </nav>
        {children}
      </>
    ),
  });

/** Asks for the control token, which the server printed at startup. */
export const tokenPage = (context: PageContext, csrf: string, error: string | null): string =>
  page({
    context,
    title: 'Console',
    part: 'control token',
    narrow: true,
    rejected: error !== null,
    children: (
      <form method="post" action="/__mkt/enter" class="fields">
        <HiddenFields csrf={csrf} />
        <Control
          kind="secret"
          name="token"
          input="token"
          label="Control token"
          hint="The server printed it at startup."
          value=""
          choices={[]}
          errors={error === null ? [] : [error]}
          required
        />
        <button type="submit">Open the console</button>
      </form>
    ),
  });

interface RequestsProps extends ConsoleContext {
  /** The latest requests, newest first. */
  readonly requests: readonly LoggedRequest[];
  readonly live: boolean;
}

export const requestsPage = (props: RequestsProps): string =>
  frame(
    props,
    <>
      <div class="actions bar">
        {props.live ? <a href="/__mkt">Stop</a> : <a href="/__mkt?live=1">Follow live</a>}
        <PostButton
          to={actionPath}
          csrf={props.csrf}
          fields={{ action: 'clearRequests', back: '/__mkt' }}
          label="Clear"
          quiet
        />
        {props.live && <small>Reloads every 3 seconds.</small>}
      </div>
      {props.requests.length === 0 ? <p class="empty">No requests yet.</p> : <Requests requests={props.requests} />}
    </>,
  );

const Requests = ({ requests }: { requests: readonly LoggedRequest[] }) => (
  <section class="scroll" tabindex={0} aria-label="Requests">
    <table class="log">
      <thead>
        <tr>
          <th scope="col">Request</th>
          <th scope="col">Status</th>
          <th scope="col" class="wide">
            Operation
          </th>
          <th scope="col" class="wide">
            Who
          </th>
          <th scope="col" class="wide number">
            ms
          </th>
          <th scope="col" class="wide">
            At
          </th>
        </tr>
      </thead>
      <tbody>
        {requests.map((request) => (
          <tr>
            <th scope="row">
              <code>{`${request.method} ${request.path}`}</code>
              {request.unexpected !== null && <small class="error">{request.unexpected}</small>}
            </th>
            <td>
              {request.status ?? 'broken'}
              {request.fault !== null && <small> fault {request.fault}</small>}
            </td>
            <td class="wide">{request.operation ?? ''}</td>
            <td class="wide">{request.user ?? ''}</td>
            <td class="wide number">{request.duration.toFixed(1)}</td>
            <td class="wide">
              <time datetime={request.at}>{request.at.slice(11, 19)}</time>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

export const faultsPage = (props: ConsoleContext & { readonly faults: readonly Fault[] }): string =>
  frame(
    props,
    <>
      {props.faults.length === 0 ? <p class="empty">No faults.</p> : <Faults {...props} />}
      <ActionSheet form={faultForm} csrf={props.csrf} back="/__mkt/faults" />
    </>,
  );

/** Describes the requests that a fault applies to. */
function targetOf({ match = {}, after, every }: Fault): string {
  const asked = Object.values(match).filter((value) => value !== undefined);
  return [
    asked.length > 0 ? asked.join(', ') : 'every request',
    ...(after ? [`after ${after}`] : []),
    ...(every ? [`every ${every}`] : []),
  ].join(', ');
}

const Faults = ({ faults, csrf }: { faults: readonly Fault[]; csrf: string }) => (
  <>
    <section class="scroll" tabindex={0} aria-label="Faults">
      <table class="log">
        <thead>
          <tr>
            <th scope="col">Effect</th>
            <th scope="col" class="number">
              Applied
            </th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {faults.map((fault) => (
            <tr>
              <th scope="row">
                <code>{typeof fault.effect === 'string' ? fault.effect : JSON.stringify(fault.effect)}</code>
                <small>{targetOf(fault)}</small>
              </th>
              <td class="number">
                {fault.hits}
                {fault.times !== undefined && ` of ${fault.times}`}
              </td>
              <td>
                <PostButton
                  to={actionPath}
                  csrf={csrf}
                  fields={{ action: 'removeFault', id: fault.id, back: '/__mkt/faults' }}
                  label="Remove"
                  about={`Remove fault ${fault.id}`}
                  quiet
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
    <div class="actions bar">
      <PostButton
        to={actionPath}
        csrf={csrf}
        fields={{ action: 'clearFaults', back: '/__mkt/faults' }}
        label="Remove all"
        quiet
      />
    </div>
  </>
);

export const marketplacePage = (props: ConsoleContext): string =>
  frame(
    props,
    <div class="sheets">
      {marketplaceForms.map((form) => (
        <ActionSheet form={form} csrf={props.csrf} back="/__mkt/acts" />
      ))}
    </div>,
  );

export const dataPage = (props: ConsoleContext & { readonly clock: ClockState }): string =>
  frame(
    props,
    <div class="sheets">
      <section class="sheet">
        <h2>Clock</h2>
        <p>
          <Value field="now_at" value={props.clock.now} />
          {props.clock.frozen && ', frozen'}
        </p>
        <PostButton
          to={actionPath}
          csrf={props.csrf}
          fields={{ action: props.clock.frozen ? 'resumeClock' : 'freezeClock', back: '/__mkt/data' }}
          label={props.clock.frozen ? 'Resume' : 'Freeze'}
          quiet
        />
      </section>
      {clockForms.map((form) => (
        <ActionSheet form={{ ...form, title: `${form.title} the clock` }} csrf={props.csrf} back="/__mkt/data" />
      ))}
      <section class="sheet">
        <h2>Download</h2>
        <p>
          <a href="/__mkt/snapshot">A snapshot</a>: data, clock and faults, which can be restored here.
        </p>
        <p>
          <a href="/__mkt/seed">A seed file</a>: only the data, for another server.
        </p>
      </section>
      {dataForms.map((form) => (
        <ActionSheet form={form} csrf={props.csrf} back="/__mkt/data" />
      ))}
    </div>,
  );

interface ActionSheetProps {
  readonly form: ActionForm;
  readonly csrf: string;
  readonly back: string;
}

const ActionSheet = ({ form: { action, title, label, fields, danger }, csrf, back }: ActionSheetProps) => (
  <section class="sheet">
    <h2>{title}</h2>
    <form
      method="post"
      action={actionPath}
      enctype={fields.some(({ kind }) => kind === 'file') ? 'multipart/form-data' : 'application/x-www-form-urlencoded'}
      class="fields"
    >
      <HiddenFields csrf={csrf} />
      <input type="hidden" name="action" value={action} />
      <input type="hidden" name="back" value={back} />
      {fields.map((control) => (
        <Control {...control} short />
      ))}
      <button type="submit" class={danger ? 'danger' : ''}>
        {label}
      </button>
    </form>
  </section>
);
