/** Parameters and results of the control methods, for the mock and for the client of the control API. */
export type {
  AccountSnapshot,
  CampaignResults,
  ClockState,
  CollabResults,
  CreatedToken,
  Duration,
  Fault,
  FaultEffect,
  FaultMatch,
  FaultRule,
  LoggedRequest,
  NewMember,
  NewToken,
  RequestFilter,
  SeedSource,
  Snapshot,
} from '@mkt/server';
