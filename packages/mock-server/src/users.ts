import type { OperationName } from '@mkt/sdk/contract';
import type { DemoUser } from '@mkt/server';
import type { CreatedToken } from './control/acts.js';
import type { Control } from './control/control.js';
import type { Fault, FaultMatch, FaultRule } from './control/fault-rules.js';
import type { Faults } from './control/faults.js';
import type { NewToken } from './control/inputs.js';
import type { RequestFilter } from './control/matching.js';
import type { EffectOf } from './control/operation-types.js';
import type { LoggedRequest, Requests } from './control/request-log.js';

/** A text that is only known at run time can be any user; a written one must be known. The union makes editors complete it. */
type Checked<KnownUser extends string, User extends string> =
  | KnownUser
  | (User & (string extends User ? unknown : never))
  | undefined;
type WithUser<Part, User> = Omit<Part, 'user'> & { readonly user?: User };

interface FaultsOfUsers<KnownUser extends string> extends Omit<Faults, 'add'> {
  /** Adds a rule after the existing ones. */
  add<User extends string, Name extends OperationName = OperationName>(
    rule: Omit<FaultRule, 'match' | 'effect'> & {
      /** By default every request. */
      readonly match?:
        | (Omit<WithUser<FaultMatch, Checked<KnownUser, User>>, 'operation'> & {
            /** The name of the endpoint, as in the SDK: `campaigns.create`. */
            readonly operation?: Name | undefined;
          })
        | undefined;
      readonly effect: EffectOf<Name>;
    },
  ): Fault;
}

interface RequestsOfUsers<KnownUser extends string> extends Omit<Requests, 'list' | 'waitFor'> {
  /** In the order of their responses. @throws {ControlError} for a filter that can never match */
  list<User extends string>(filter?: WithUser<RequestFilter, Checked<KnownUser, User>>): readonly LoggedRequest[];
  /**
   * The first request that matches, sent earlier or from now on.
   * @throws {ControlError} if none comes in time
   */
  waitFor<User extends string>(
    filter?: WithUser<RequestFilter, Checked<KnownUser, User>>,
    options?: Parameters<Requests['waitFor']>[1],
  ): Promise<LoggedRequest>;
}

/** Control methods whose types know the users of the demo data, if that is the seed. */
export interface ControlOfUsers<KnownUser extends string = DemoUser>
  extends Omit<Control, 'faults' | 'requests' | 'createToken'> {
  readonly faults: FaultsOfUsers<KnownUser>;
  readonly requests: RequestsOfUsers<Extract<KnownUser, `usr_${string}`> | (string extends KnownUser ? string : never)>;
  /** Creates an access token for any user. */
  createToken<User extends string>(
    token: Omit<NewToken, 'user'> & { readonly user: Checked<KnownUser, User> & string },
  ): Promise<CreatedToken>;
}
