import { RpcError } from '../rpc/errors.ts';
import type { SharedBudget } from '../util/shared-budget.ts';
import type { CallGuard } from './call-guard.ts';
import type { CallStep } from './call-steps.ts';
import { type CallWatch, costsNothing } from './call-watch.ts';

/** Step that reports refused calls; the dispatcher reports the calls that it runs. */
export function reportRefusals(watch: CallWatch | undefined): CallStep {
  if (watch === undefined) return {};
  return {
    end({ method }, context, response, startedAt) {
      if (isRefusal(response)) watch.noteRefused(method, context, response, startedAt);
    },
  };
}

/**
 * Step that refuses calls while the budget for buffered responses is almost exhausted.
 * @param leastRoom minimum free bytes of the budget for responses
 */
export function requireRoom(reservedAnswers: SharedBudget, leastRoom: number): CallStep {
  return {
    begin(_call, { scope }) {
      const hasRoom = reservedAnswers.used === 0 || reservedAnswers.hasRoom(scope.owner ?? '', leastRoom);
      return hasRoom ? undefined : new RpcError('overloaded', 'answers.bytes');
    },
  };
}

/**
 * Step that checks the permissions and limits of the key, and charges the key. If a later step refuses the call with a free error, the charge is
 * refunded.
 */
export function checkLimits(guard: CallGuard): CallStep {
  return {
    begin: (call, { session, prepaid }, now) => guard.check(call, session, now, prepaid),
    end(call, { session, prepaid }, response) {
      if (isRefusal(response) && costsNothing(response)) guard.giveBack(call, session, prepaid);
    },
  };
}

/** Whether a call was refused instead of being run. */
function isRefusal(response: unknown): response is RpcError {
  return response instanceof RpcError && !response.isOutcome;
}
