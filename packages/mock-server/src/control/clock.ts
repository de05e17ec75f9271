import * as z from 'zod/mini';
import { ControlError, checked } from './errors.js';

const number = z.optional(z.number('must be a number'));
export const timeSpan = z.strictObject(
  { days: number, hours: number, minutes: number, seconds: number, milliseconds: number },
  'must be an object with days, hours, minutes, seconds or milliseconds',
);
/** A length of time: the sum of its parts. */
export type Duration = Readonly<z.infer<typeof timeSpan>>;

const isMoment = (text: string): boolean =>
  // Without a zone, a time would depend on the machine. Days that a month does not have would become other days.
  /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text.slice(0, 10)).toISOString().startsWith(text.slice(0, 10));
const problem = 'must be an ISO 8601 time with a zone, such as 2026-06-01T00:00:00Z';
export const isoMoment = z.string(problem).check(z.refine(isMoment, problem));

const last = Date.parse('+010000') - 1;

/** @throws {ControlError} for times that the API's timestamps cannot represent */
export function possible(milliseconds: number): number {
  if (milliseconds >= Date.parse('0001') && milliseconds <= last) return milliseconds;
  throw new ControlError('The clock cannot be set to this time. Timestamps support the years 1 to 9999.');
}

export interface ClockState {
  /** The current time, ISO 8601 in UTC. */
  readonly now: string;
  /** Whether the clock is frozen. */
  readonly frozen: boolean;
}

/** The clock of the marketplace, for timestamps and the rate limit. Delays of faults use real time. */
export interface Clock {
  /** The current time, and whether the clock is frozen. */
  read(): ClockState;
  /** Sets the clock to `moment` (ISO 8601: a day, or a time with a zone). It continues from there unless it is frozen. */
  set(moment: string): ClockState;
  /** Advances the clock, or moves it back with negative numbers. */
  advance(by: Duration): ClockState;
  /** Freezes the clock, at `moment` if given. */
  freeze(moment?: string): ClockState;
  /** Resumes a frozen clock from its current time. */
  resume(): ClockState;
}

/** The offset from the real clock, and the time at which the clock is frozen. In milliseconds. */
export interface ClockPosition {
  readonly offset: number;
  readonly frozenAt: number | null;
}

export class MovableClock implements Clock {
  #offset = 0;
  #frozenAt: number | null = null;
  #speed = 1;
  /** The real time at which the offset was set. */
  #since = 0;
  /** How often the clock was set, moved or frozen. */
  moves = 0;
  /** Called after that. */
  onMove = (): void => undefined;

  /** Milliseconds since 1970. */
  readonly now = (): number => this.#frozenAt ?? (this.#speed === 1 ? Date.now() + this.#offset : this.#fastNow());

  #fastNow(): number {
    const real = Date.now();
    return Math.min(last, Math.floor(real + this.#offset + (real - this.#since) * (this.#speed - 1)));
  }

  /** How many times as fast as real time the clock runs, from its current time. */
  set speed(speed: number) {
    const now = this.#speed === 1 ? Date.now() + this.#offset : this.#fastNow();
    this.#setOffset(now - Date.now());
    this.#speed = speed;
  }

  #setOffset(offset: number): void {
    this.#offset = offset;
    this.#since = Date.now();
    this.#countMove();
  }

  #countMove(): void {
    this.moves += 1;
    this.onMove();
  }

  read(): ClockState {
    return { now: new Date(this.now()).toISOString(), frozen: this.#frozenAt !== null };
  }

  set(to: string): ClockState {
    return this.#moveTo(Date.parse(checked('moment', isoMoment, to)));
  }

  advance(by: Duration): ClockState {
    const { days = 0, hours = 0, minutes = 0, seconds = 0, milliseconds = 0 } = checked('duration', timeSpan, by);
    return this.#moveTo(this.now() + (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + milliseconds);
  }

  freeze(at?: string): ClockState {
    this.#frozenAt = at === undefined ? this.now() : possible(Date.parse(checked('moment', isoMoment, at)));
    this.#countMove();
    return this.read();
  }

  resume(): ClockState {
    const now = this.now();
    this.#frozenAt = null;
    return this.#moveTo(now);
  }

  get position(): ClockPosition {
    const offset = this.#speed === 1 ? this.#offset : this.#fastNow() - Date.now();
    return { offset, frozenAt: this.#frozenAt };
  }

  set position({ offset, frozenAt }: ClockPosition) {
    this.#frozenAt = frozenAt;
    this.#setOffset(offset);
  }

  reset(): void {
    this.#speed = 1;
    this.position = { offset: 0, frozenAt: null };
  }

  #moveTo(moment: number): ClockState {
    if (this.#frozenAt === null) this.#setOffset(possible(moment) - Date.now());
    else {
      this.#frozenAt = possible(moment);
      this.#countMove();
    }
    return this.read();
  }
}
