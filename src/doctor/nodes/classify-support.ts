import type { Support } from './examination.ts';
import type { ProbeOutcome } from './node-probe.ts';

/**
 * Derives from the outcome of a test request whether the node supports the method or request form.
 * @param findProblem returns the problem of a result; undefined if the result is valid
 */
export function classifySupport(
  outcome: ProbeOutcome,
  findProblem: (value: unknown) => string | undefined,
): Support {
  if (outcome.kind === 'fault') return { state: 'unclear', reason: outcome.reason };
  if (outcome.kind === 'result') {
    const problem = findProblem(outcome.value);
    return problem === undefined ? { state: 'yes' } : { state: 'no', reason: problem };
  }
  const { verdict, reason } = outcome;
  switch (verdict.kind) {
    case 'unsupported':
    case 'invalid':
      return { state: 'no', reason };
    default:
      return { state: 'unclear', reason };
  }
}
