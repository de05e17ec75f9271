/** Parameters and results of the control methods, for the mock and for the client of the control API. */
export type { DemoUser } from '@mkt/server';
export type { AccountSnapshot, CampaignResults, CollabResults, NewMember } from './control/act-inputs.js';
export type { CreatedToken } from './control/acts.js';
export type { ClockState, Duration } from './control/clock.js';
export type { ControlEvent } from './control/events.js';
export type { Fault, FaultEffect, FaultMatch, FaultRule, Milliseconds, Patch } from './control/fault-rules.js';
export type { NewToken, SimulateOptions, Snapshot } from './control/inputs.js';
export type { RequestFilter } from './control/matching.js';
export type { Mistake, MistakeKind } from './control/mistake-kinds.js';
export type {
  Created,
  CreatedMember,
  CreatedUser,
  Factories,
  NewCampaign,
  NewCollab,
  NewMembership,
  NewOrganization,
  NewSocialAccount,
  NewUser,
  PartialSeed,
  SeedSource,
} from './control/new-items.js';
export type { EffectOf, OperationResponse, Override, OverrideCall } from './control/operation-types.js';
export type { LoggedRequest } from './control/request-log.js';
