import { isDeepStrictEqual } from 'node:util';
import type { Budget } from '../pool/spend/budget.ts';
import type { Problem } from './check-config.ts';
import type { Config } from './config.ts';

/** Checks that all nodes of one account at a provider have the same budget. */
export function checkBudgets({ networks }: Config): Problem[] {
  const known = new Map<string, { readonly budget: Budget; readonly where: string }>();
  const problems: Problem[] = [];
  for (const [name, { upstreams = [] }] of Object.entries(networks)) {
    for (const [i, { budget }] of upstreams.entries()) {
      if (budget?.account === undefined) continue;
      const first = known.get(budget.account);
      if (first === undefined) {
        known.set(budget.account, { budget, where: `networks.${name}.upstreams[${i}]` });
      } else if (!isDeepStrictEqual(first.budget, budget)) {
        const message = `the account ${budget.account} has another budget in ${first.where}: expected one budget for all nodes of an account`;
        problems.push({ path: ['networks', name, 'upstreams', i, 'budget'], message });
      }
    }
  }
  return problems;
}
