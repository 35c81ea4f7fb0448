import type { Support } from './examination.ts';
import type { Outcome } from './node-questions.ts';

/** What an outcome says about a method, or about a form of asking it. */
export function judgeSupport(outcome: Outcome, findProblem: (value: unknown) => string | undefined): Support {
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
