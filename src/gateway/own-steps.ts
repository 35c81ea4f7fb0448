import { RpcError } from '../rpc/errors.ts';
import type { SharedBudget } from '../util/shared-budget.ts';
import type { CallGuard } from './call-guard.ts';
import type { CallStep } from './call-steps.ts';
import { type CallWatch, costsNothing } from './call-watch.ts';

/** Reports refused calls; the dispatcher reports the calls that it ran. */
export function reportRefusals(watch: CallWatch | undefined): CallStep {
  if (watch === undefined) return {};
  return {
    end({ method }, context, response, startedAt) {
      if (isRefusal(response)) watch.noteRefused(method, context, response, startedAt);
    },
  };
}

/**
 * Refuses calls whose responses could not be buffered.
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

/** Checks the permissions and limits of the key, and charges it. A call that a later step refuses without a price gets its charge back. */
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
