/** Nodes that tell the truth, asked once for each answer. */
import { sendToNode } from '../support/faults/ask-node.ts';
import type { Answer, Call } from '../support/faults/fault.ts';

export type Request = Pick<Call, 'method' | 'params'>;

/** What a node says; the same each time. */
export type Truth = {
  readonly name: string;
  /** Of a chain of which something may not be verifiable. */
  readonly isRecorded?: true;
  /** Its headers lack the base fee. */
  readonly hasUncoveredFees?: boolean;
  readonly ask: (request: Request) => Promise<Answer>;
  close(): Promise<void>;
};

export function keyOf({ method, params }: Request): string {
  return JSON.stringify([method, params]);
}

/** The answers of a node with a chain that does not grow. */
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
