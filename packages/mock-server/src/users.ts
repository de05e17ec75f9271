import type { DemoUser } from '@mkt/server';
import type { CreatedToken, NewToken } from './control/acts.js';
import type { Control } from './control/control.js';
import type { Fault, FaultMatch, FaultRule } from './control/fault-rules.js';
import type { Faults } from './control/faults.js';
import type { LoggedRequest, RequestFilter, Requests } from './control/request-log.js';

/** A text that is only known at run time can be any user; a written one must be known. The union makes editors complete it. */
type Checked<Known extends string, User extends string> =
  | Known
  | (User & (string extends User ? unknown : never))
  | undefined;
type WithUser<Part, User> = Omit<Part, 'user'> & { readonly user?: User };

interface KnowingFaults<Known extends string> extends Omit<Faults, 'add'> {
  /** Adds a rule after the existing ones. */
  add<User extends string>(
    rule: Omit<FaultRule, 'match'> & {
      /** By default every request. */
      readonly match?: WithUser<FaultMatch, Checked<Known, User>> | undefined;
    },
  ): Fault;
}

interface KnowingRequests<Known extends string> extends Omit<Requests, 'list' | 'waitFor'> {
  /** In the order of their responses. @throws {ControlError} for a filter that can never match */
  list<User extends string>(filter?: WithUser<RequestFilter, Checked<Known, User>>): readonly LoggedRequest[];
  /**
   * The first request that matches, sent earlier or from now on.
   * @throws {ControlError} if none comes in time
   */
  waitFor<User extends string>(
    filter?: WithUser<RequestFilter, Checked<Known, User>>,
    options?: Parameters<Requests['waitFor']>[1],
  ): Promise<LoggedRequest>;
}

/** Control methods whose types know the users of the demo data, if that is the seed. */
export interface KnowingControl<Known extends string = DemoUser>
  extends Omit<Control, 'faults' | 'requests' | 'createToken'> {
  readonly faults: KnowingFaults<Known>;
  readonly requests: KnowingRequests<Extract<Known, `usr_${string}`> | (string extends Known ? string : never)>;
  /** Creates an access token for any user. */
  createToken<User extends string>(
    token: Omit<NewToken, 'user'> & { readonly user: Checked<Known, User> & string },
  ): Promise<CreatedToken>;
}
