import type { Config } from '../config/config.ts';
import { listSpend, type NodeSpend } from '../service/list-spend.ts';
import type { ReportFinding } from './nodes/network-report.ts';

/** Share of a budget above which it is reported although it is not used up. */
const NEARLY = 0.9;

/** Returns findings about the budgets of a network's nodes that are used up, or nearly so. */
export async function findSpent(config: Config, network: string): Promise<readonly ReportFinding[]> {
  const { upstreams = [] } = config.networks[network] ?? {};
  if (!upstreams.some(({ budget }) => budget !== undefined)) return [];
  try {
    const nodes = await listSpend(config);
    return nodes.filter((node) => node.network === network).flatMap((node) => describeBudget(node));
  } catch (error) {
    const problem = `what its nodes have spent of their budgets is not known: ${(error as Error).message}`;
    return [{ severity: 'warning', problem, advice: 'check access.valkey, or the folder spend in dataDir' }];
  }
}

function describeBudget({ upstream, budget, remaining = 0, until, account }: NodeSpend): ReportFinding[] {
  if (budget === undefined || remaining > budget * (1 - NEARLY)) return [];
  const whose = account === undefined ? 'its budget' : `the budget of the account ${account}`;
  if (remaining > 0) {
    const problem = `${remaining} of ${budget} credits are left of ${whose} until ${until}`;
    return [{ severity: 'note', upstream, problem, advice: 'then it is used only if no other node answers' }];
  }
  const problem = `${whose} of ${budget} credits is used up until ${until} 00:00 UTC`;
  const advice =
    'it gets no requests of clients that another node can answer; get a larger plan and raise budget.credits';
  return [{ severity: 'warning', upstream, problem, advice }];
}
