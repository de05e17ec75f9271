import type { OperationName } from '@mkt/sdk/contract';
import type { Control } from '../../control/control.js';
import { ControlError } from '../../control/errors.js';
import type { FaultEffect } from '../../control/fault-rules.js';
import type { Flash } from '../flash.js';

/** What a form of the console sent. */
export interface FormValues {
  /** A field's text, trimmed; empty if it is missing. */
  text(name: string): string;
  /** A whole number; undefined if the field is empty. @throws {ControlError} for anything else */
  number(name: string): number | undefined;
  /** The text of an uploaded file. */
  file(name: string): Promise<string>;
}

export function formValues(form: FormData): FormValues {
  const text = (name: string): string => {
    const value = form.get(name);
    return typeof value === 'string' ? value.trim() : '';
  };
  return {
    text,
    number(name) {
      const value = text(name);
      if (value === '') return undefined;
      if (!/^-?\d{1,15}$/.test(value))
        throw new ControlError(`${name.replaceAll('_', ' ')} must be a whole number, not "${value}".`);
      return Number(value);
    },
    async file(name) {
      const value = form.get(name);
      return value === null || typeof value === 'string' ? '' : value.text();
    },
  };
}

type ConsoleAction = (control: Control, sent: FormValues) => Promise<string | Flash> | string;

type Defined<Values> = { [K in keyof Values]?: Exclude<Values[K], undefined> };

/** The values without empty fields. */
const definedValues = <Values extends object>(values: Values): Defined<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && value !== ''),
  ) as Defined<Values>;

/** The effect in a form. Some effects have an amount. */
function effectIn(sent: FormValues): FaultEffect {
  const kind = sent.text('effect');
  const amount = sent.number('amount');
  if (kind === 'status') return { status: amount ?? 503 };
  if (kind === 'delay') return { delay: amount ?? 1000 };
  if (kind === 'truncate') return { truncate: amount ?? 100 };
  if (kind === 'slowBody') return { slowBody: amount ?? 1000 };
  return kind as FaultEffect;
}

/** The actions of the console's buttons, by name, with their success messages. */
export const consoleActions: Readonly<Record<string, ConsoleAction>> = {
  async reset(control) {
    await control.reset();
    return 'Everything was reset to its initial state.';
  },
  async seed(control, sent) {
    const tokens = await control.seed(sent.text('seed'));
    const [first] = Object.values(tokens);
    const done = `The data was replaced with the seed ${sent.text('seed')}.`;
    return sent.text('seed') === 'empty' && first !== undefined
      ? { tone: 'good', text: `${done} Its only token:`, secret: first }
      : done;
  },
  async restore(control, sent) {
    const text = await sent.file('snapshot');
    if (text === '') throw new ControlError('Choose a snapshot file first.');
    await control.restore(parsed(text));
    return 'The snapshot was restored.';
  },
  clearRequests(control) {
    control.requests.clear();
    return 'The request log was cleared.';
  },
  addFault(control, sent) {
    // `faults.add` checks the name.
    const operation = sent.text('operation') as OperationName;
    const match = definedValues({ operation, user: sent.text('user') });
    const counts = definedValues({
      times: sent.number('times'),
      after: sent.number('after'),
      every: sent.number('every'),
    });
    const { id } = control.faults.add({ match, effect: effectIn(sent), ...counts });
    return `${id} was added.`;
  },
  removeFault(control, sent) {
    control.faults.remove(sent.text('id'));
    return 'The fault was removed.';
  },
  clearFaults(control) {
    control.faults.clear();
    return 'All faults were removed.';
  },
  setClock: (control, sent) => `The clock was set to ${control.clock.set(sent.text('moment')).now}.`,
  advanceClock: (control, sent) =>
    `The clock was set to ${control.clock.advance(definedValues({ days: sent.number('days'), hours: sent.number('hours') })).now}.`,
  freezeClock: (control) => `The clock is frozen at ${control.clock.freeze().now}.`,
  resumeClock: (control) => `The clock was resumed from ${control.clock.resume().now}.`,
  async fundCampaign(control, sent) {
    await control.act.fundCampaign(sent.text('campaign'), sent.number('amount') as number);
    return `Campaign ${sent.text('campaign')} is funded.`;
  },
  async finishCampaign(control, sent) {
    await control.act.finishCampaign(sent.text('campaign'));
    return `Campaign ${sent.text('campaign')} is finished.`;
  },
  async reviewCollab(control, sent) {
    await control.act.reviewCollab(sent.text('collab'), sent.text('outcome') as 'published');
    return `Collab ${sent.text('collab')} is ${sent.text('outcome')}.`;
  },
  async approveSubmission(control, sent) {
    const one = { submissions_count: 1, approved_submissions_count: 1 };
    await control.act.addCollabResults(sent.text('collab'), one);
    return `Collab ${sent.text('collab')} has one more approved submission.`;
  },
  async syncSocialAccount(control, sent) {
    const snapshot = definedValues({
      status: sent.text('status') as 'verified',
      subscriber_count: sent.number('subscriber_count'),
      view_count: sent.number('view_count'),
    });
    await control.act.syncSocialAccount(sent.text('account'), snapshot);
    return `Account ${sent.text('account')} is synced.`;
  },
  async addMember(control, sent) {
    const { text } = sent;
    const member = definedValues({
      user: text('user'),
      name: text('name'),
      email: text('email'),
      role: text('role') as 'admin',
    });
    await control.act.addMember(sent.text('organization'), member);
    return `Organization ${text('organization')} has a new member.`;
  },
  async setSubscription(control, sent) {
    const active = sent.text('active') === 'true';
    await control.act.setSubscription(sent.text('organization'), active);
    return `Organization ${sent.text('organization')} has ${active ? 'an active' : 'no'} subscription.`;
  },
  async createToken(control, sent) {
    const { text } = sent;
    const permission = text('permission') as 'read';
    const made = await control.createToken({ user: text('user'), permission });
    return {
      tone: 'good',
      text: `A token for ${text('user')}. Copy its secret now. It is not shown again.`,
      secret: made.token,
    };
  },
};

function parsed(text: string): never {
  try {
    return JSON.parse(text) as never;
  } catch (error) {
    throw new ControlError(`The file is not JSON: ${(error as Error).message}.`);
  }
}
