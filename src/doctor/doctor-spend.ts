import type { Config } from '../config/config.ts';
import { listSpend, type NodeSpend } from '../service/list-spend.ts';
import { countOf } from '../util/count-of.ts';
import type { ReportFinding } from './nodes/network-report.ts';

/** Spent share of a budget from which a note is reported. */
const NEARLY = 0.9;

/** Returns findings about the budgets of a network's nodes that are used up, or nearly used up. */
export async function findSpent(config: Config, network: string): Promise<readonly ReportFinding[]> {
  const { upstreams = [] } = config.networks[network] ?? {};
  if (!upstreams.some(({ budget }) => budget !== undefined)) return [];
  try {
    const nodes = await listSpend(config);
    return nodes.filter((node) => node.network === network).flatMap((node) => describeBudget(node));
  } catch (error) {
    const problem = `the spent credits of its nodes cannot be read: ${(error as Error).message}`;
    return [{ severity: 'warning', problem, advice: 'check access.valkey, or the folder spend in dataDir' }];
  }
}

function describeBudget({ upstream, budget, remaining = 0, until, account }: NodeSpend): ReportFinding[] {
  if (budget === undefined || remaining > budget * (1 - NEARLY)) return [];
  const whose = account === undefined ? 'its budget' : `the budget of the account ${account}`;
  if (remaining > 0) {
    const problem = `${remaining} of ${countOf(budget, 'credit')} are left of ${whose} until ${until}`;
    return [
      {
        severity: 'note',
        upstream,
        problem,
        advice: 'when the budget is used up, the node is used only if no other node answers',
      },
    ];
  }
  const problem = `${whose} of ${countOf(budget, 'credit')} is used up until ${until} 00:00 UTC`;
  const advice =
    'until then, the node gets no requests of clients that another node can answer; get a larger plan and raise budget.credits';
  return [{ severity: 'warning', upstream, problem, advice }];
}
