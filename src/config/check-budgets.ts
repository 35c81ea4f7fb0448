import { isDeepStrictEqual } from 'node:util';
import { nameUpstream } from '../pool/endpoint.ts';
import type { Budget } from '../pool/spend/budget.ts';
import type { Problem } from './check-config.ts';
import type { Config } from './config.ts';

/** Checks that all nodes of one account at a provider have the same budget, and that spent credits belong to one lasting name. */
export function checkBudgets(config: Config): Problem[] {
  return [...checkAccounts(config), ...checkNames(config)];
}

/** Checks the names under which spent credits are stored: a default name changes with the position of the node, and two nodes of one name share the credits. */
function checkNames({ networks }: Config): Problem[] {
  const problems: Problem[] = [];
  for (const [network, { upstreams = [] }] of Object.entries(networks)) {
    const known = new Map<string, number>();
    for (const [i, upstream] of upstreams.entries()) {
      const path = ['networks', network, 'upstreams', i];
      const { budget, credits, name } = upstream;
      if (budget !== undefined && budget.account === undefined && name === undefined) {
        const message =
          'needs name or budget.account: spent credits are stored under the name, and without one it changes with the position of the node';
        problems.push({ path: [...path, 'budget'], message });
      }
      if (credits === undefined) continue;
      const used = nameUpstream(upstream, i);
      const first = known.get(used);
      if (first === undefined) known.set(used, i);
      else {
        const message = `${used} is the name of networks.${network}.upstreams[${first}] too: expected another name, because spent credits are stored under it`;
        problems.push({ path: [...path, 'name'], message });
      }
    }
  }
  return problems;
}

function checkAccounts({ networks }: Config): Problem[] {
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
