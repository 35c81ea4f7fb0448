import { type ServerResponse, STATUS_CODES } from 'node:http';
import { sendText } from '../answers.ts';
import { AdminRefusal } from '../refusal.ts';

/** Media type of the errors of the Admin API (RFC 9457). */
export const PROBLEM_TYPE = 'application/problem+json';

/** Refusal for several reasons. The answer lists all of them. */
export class ProblemsRefusal extends AdminRefusal {
  readonly problems: readonly string[];

  constructor(status: number, message: string, problems: readonly string[]) {
    super(status, message);
    this.problems = problems;
  }
}

/** Answers with a refusal as a problem document (RFC 9457). */
export function sendProblem(response: ServerResponse, refusal: AdminRefusal): void {
  const { status, message, headers } = refusal;
  const problem = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: message,
    ...(refusal instanceof ProblemsRefusal && { problems: refusal.problems }),
  };
  sendText(response, status, PROBLEM_TYPE, `${JSON.stringify(problem)}\n`, headers);
}
