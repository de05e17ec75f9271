/** Parameters and results of the control methods, for the mock and for the client of the control API. */
export type { DemoUser } from '@mkt/server';
export type {
  AccountSnapshot,
  CampaignResults,
  CollabResults,
  CreatedToken,
  NewMember,
  NewToken,
} from './control/acts.js';
export type { ClockState, Duration } from './control/clock.js';
export type {
  Created,
  CreatedMember,
  CreatedUser,
  Factories,
  NewCampaign,
  NewCollab,
  NewMembership,
  NewOrganization,
  NewUser,
  PartialSeed,
} from './control/create.js';
export type { ControlEvent } from './control/events.js';
export type { Fault, FaultEffect, FaultMatch, FaultRule, Milliseconds, Patch } from './control/fault-rules.js';
export type { EffectOf, OperationResponse, Override, OverrideCall } from './control/operation-types.js';
export type { LoggedRequest, RequestFilter } from './control/request-log.js';
export type { SeedSource } from './control/seed-source.js';
export type { SimulateOptions } from './control/simulation.js';
export type { Snapshot } from './control/snapshot.js';
