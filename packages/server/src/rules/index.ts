import type { contract, Endpoint } from '@mkt/sdk/contract';
import * as accessTokens from './access-tokens.js';
import * as address from './address.js';
import * as campaigns from './campaigns.js';
import * as collabs from './collabs.js';
import type { Context, Input } from './context.js';
import * as members from './members.js';
import * as organizations from './organizations.js';
import * as socialAccounts from './social-accounts.js';

/**
 * A rule as the pipeline calls it. Declared as a method, because TypeScript compares method parameters bivariantly: the
 * contract's entry defines which context and input a rule gets, and the rule's own types declare which parts it uses.
 */
export type Rule = { call(context: Context, input: Input<unknown>): Promise<unknown> }['call'];

type RuleOf<E> =
  E extends Endpoint<infer _Item, infer Fields> ? (context: never, input: Input<Fields>) => Promise<unknown> : never;
type Contract = typeof contract;
type Rules = {
  readonly [R in keyof Contract]: { readonly [Name in keyof Contract[R]]: RuleOf<Contract[R][Name]> };
};

/** The rule of `campaigns.publish` is the function `publish` in `campaigns.ts`. A missing rule does not compile. */
const modules: Rules = { accessTokens, organizations, members, campaigns, collabs, socialAccounts, address };

/** The rule of every operation of the contract. */
export const rules: Readonly<Record<string, Rule>> = Object.fromEntries(
  Object.entries<Readonly<Record<string, Rule>>>(modules).flatMap(([resource, module]) =>
    Object.entries(module).map(([name, rule]) => [`${resource}.${name}`, rule]),
  ),
);
