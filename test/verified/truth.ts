/** Nodes that tell the truth; each answer is requested once. */
import { sendToNode } from '../support/faults/ask-node.ts';
import type { Answer, Call } from '../support/faults/fault.ts';

export type Request = Pick<Call, 'method' | 'params'>;

/** Answers of a node, the same each time. */
export type Truth = {
  readonly name: string;
  /** Whether the chain may have unverifiable parts. */
  readonly isRecorded?: true;
  /** Whether the chain's headers lack the base fee. */
  readonly hasUncoveredFees?: boolean;
  readonly ask: (request: Request) => Promise<Answer>;
  close(): Promise<void>;
};

export function keyOf({ method, params }: Request): string {
  return JSON.stringify([method, params]);
}

/** Caches the answers of a node whose chain does not grow. */
export function rememberNode(name: string, url: string, close: () => Promise<void>): Truth {
  const answers = new Map<string, Promise<Answer>>();
  return {
    name,
    ask(request) {
      const key = keyOf(request);
      const known = answers.get(key) ?? sendToNode(url, request);
      answers.set(key, known);
      return known;
    },
    close,
  };
}

/** @throws Error where the node has no result */
export async function askResult(
  truth: Truth,
  method: string,
  ...params: readonly unknown[]
): Promise<unknown> {
  const answer = await truth.ask({ method, params });
  if ('error' in answer) throw new Error(`${truth.name}: ${method}: ${answer.error.message}`);
  return answer.result;
}
