import type { Logger } from '../../observe/logger.ts';
import { DAY_MS, formatDay } from '../../util/utc-day.ts';
import type { Upstream } from '../upstream.ts';

/**
 * Creates the function that logs, once in each period, that the budget of a node is used up. It must be called regularly for each node.
 * @param network name of the network in log lines
 */
export function createBudgetLog(
  network: string,
  log: Pick<Logger, 'warn'>,
): (upstream: Pick<Upstream, 'name' | 'spend'>) => void {
  /** End of the last period that has a log line, Unix ms, by name of the node. */
  const logged = new Map<string, number>();
  return ({ name, spend }) => {
    if (spend?.isUsedUp !== true) return;
    const { budget, account, until } = spend.describe();
    if (logged.get(name) === until) return;
    logged.set(name, until);
    const fields = {
      network,
      upstream: name,
      budget,
      ...(account !== undefined && { account }),
      until: `${formatDay(until / DAY_MS)} 00:00 UTC`,
    };
    log.warn(
      fields,
      spend.isBarred
        ? 'the budget of the upstream is used up: it gets no calls of clients until the budget begins again'
        : 'the budget of the upstream is used up: until the budget begins again, it gets only calls that no other node can answer',
    );
  };
}
