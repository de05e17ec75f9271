import type { Child } from 'hono/jsx';
import type { ClockState } from '../../control/clock.js';
import type { Fault } from '../../control/fault-rules.js';
import type { LoggedRequest } from '../../control/request-log.js';
import { Control } from '../pages/control.js';
import { page } from '../pages/layout.js';
import { Proof, Send } from '../pages/send.js';
import { Value } from '../pages/values.js';
import type { Stage } from '../stage.js';
import { actForms, clockForms, dataForms, faultForm, type VerbForm } from './forms.js';

/** The path that handles the console's forms. */
export const verbPath = '/__mkt/do';

const tabs = [
  ['/__mkt', 'Requests'],
  ['/__mkt/faults', 'Faults'],
  ['/__mkt/acts', 'Marketplace'],
  ['/__mkt/data', 'Data and clock'],
] as const;

export interface ConsoleStage {
  readonly stage: Stage;
  readonly csrf: string;
}

const isAt = ({ path }: Stage, href: string): boolean => path.split('?', 1)[0] === href;

const frame = ({ stage }: ConsoleStage, children: Child): string =>
  page({
    stage,
    title: 'Console',
    part: tabs.find(([href]) => isAt(stage, href))?.[1] ?? '',
    children: (
      <>
        <nav class="tabs" aria-label="Console">
          {tabs.map(([href, label]) => (
            <a href={href} {...(isAt(stage, href) && { 'aria-current': 'page' as const })}>
              {label}
            </a>
          ))}
        </nav>
        {children}
      </>
    ),
  });

/** Asks for the control token, which the server printed at startup. */
export const tokenPage = (stage: Stage, csrf: string, error: string | null): string =>
  page({
    stage,
    title: 'Console',
    part: 'control token',
    narrow: true,
    refused: error !== null,
    children: (
      <form method="post" action="/__mkt/enter" class="fields">
        <Proof csrf={csrf} />
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

interface RequestsProps extends ConsoleStage {
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
        <Send to={verbPath} csrf={props.csrf} fields={{ verb: 'clearRequests', back: '/__mkt' }} label="Clear" quiet />
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

export const faultsPage = (props: ConsoleStage & { readonly faults: readonly Fault[] }): string =>
  frame(
    props,
    <>
      {props.faults.length === 0 ? <p class="empty">No faults.</p> : <Faults {...props} />}
      <VerbSheet form={faultForm} csrf={props.csrf} back="/__mkt/faults" />
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
                <Send
                  to={verbPath}
                  csrf={csrf}
                  fields={{ verb: 'removeFault', id: fault.id, back: '/__mkt/faults' }}
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
      <Send
        to={verbPath}
        csrf={csrf}
        fields={{ verb: 'clearFaults', back: '/__mkt/faults' }}
        label="Remove all"
        quiet
      />
    </div>
  </>
);

export const actsPage = (props: ConsoleStage): string =>
  frame(
    props,
    <div class="sheets">
      {actForms.map((form) => (
        <VerbSheet form={form} csrf={props.csrf} back="/__mkt/acts" />
      ))}
    </div>,
  );

export const dataPage = (props: ConsoleStage & { readonly clock: ClockState }): string =>
  frame(
    props,
    <div class="sheets">
      <section class="sheet">
        <h2>Clock</h2>
        <p>
          <Value field="now_at" value={props.clock.now} />
          {props.clock.frozen && ', frozen'}
        </p>
        <Send
          to={verbPath}
          csrf={props.csrf}
          fields={{ verb: props.clock.frozen ? 'resumeClock' : 'freezeClock', back: '/__mkt/data' }}
          label={props.clock.frozen ? 'Resume' : 'Freeze'}
          quiet
        />
      </section>
      {clockForms.map((form) => (
        <VerbSheet form={{ ...form, title: `${form.title} the clock` }} csrf={props.csrf} back="/__mkt/data" />
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
        <VerbSheet form={form} csrf={props.csrf} back="/__mkt/data" />
      ))}
    </div>,
  );

interface VerbSheetProps {
  readonly form: VerbForm;
  readonly csrf: string;
  readonly back: string;
}

const VerbSheet = ({ form: { verb, title, label, fields, danger }, csrf, back }: VerbSheetProps) => (
  <section class="sheet">
    <h2>{title}</h2>
    <form
      method="post"
      action={verbPath}
      enctype={fields.some(({ kind }) => kind === 'file') ? 'multipart/form-data' : 'application/x-www-form-urlencoded'}
      class="fields"
    >
      <Proof csrf={csrf} />
      <input type="hidden" name="verb" value={verb} />
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
