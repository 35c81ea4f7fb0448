import type { JsonResult, JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../../../chain/errors.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import { mayAnswer } from '../../../pool/policies/rank-nodes.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { RequestContext, Send, UpstreamRequest } from '../../../pool/upstream-request.ts';
import { nameAnswer, withoutDetail } from './name-answer.ts';
import type { OperatorVoices } from './operator-voices.ts';

/** Functions for requests whose answers cannot be verified with a root in a block header. */
export type UncoveredParts = {
  readonly ask: Send;
  /** Sends a request to several operators and requires the same answer; present only if agreement is mandatory. */
  readonly sendToVoices?: Send | undefined;
};

/**
 * Sends a request whose answer no root can verify, and records the trust level of the answer: `agreed` if agreement is mandatory, otherwise `single`.
 * @throws ChainError `unavailable` if agreement is mandatory and too few operators return the same answer
 */
export function sendUncovered(
  { ask, sendToVoices }: UncoveredParts,
  context: RequestContext,
): PromiseOrValue<JsonResult> {
  if (sendToVoices !== undefined) return sendToVoices(context);
  context.scope.noteTrust('single');
  return ask(context);
}

/** A distinct answer, and the number of operators that returned it. */
type Word = { answer: JsonText | ChainError; voices: number };

/**
 * Creates a `Send` that requires the same answer from `voices.needed` operators. The request goes to one node each of `voices.needed` operators
 * concurrently, and to another operator for each failure or different answer. Answers that differ only in member order or in the case of hex digits
 * are the same.
 */
export function createSendToVoices(ask: Send, voices: OperatorVoices): Send {
  return async ({ call, scope, except }) => {
    if (call.isSticky === true) throw new TooFewVoices('the pending state comes from one node only');
    const unshared = requestApart(call);
    const words = new Map<string, Word>();
    const waiting = sortByCost(voices.operators, call.method);
    let fault: UpstreamFault | undefined;
    const inner = scope.derive();
    try {
      return await new Promise<JsonResult>((resolve, reject) => {
        let running = 0;
        const launch = (): void => {
          const best = Math.max(0, ...[...words.values()].map((word) => word.voices));
          while (running + best < voices.needed) {
            const nodes = waiting.shift();
            if (nodes === undefined) {
              if (running === 0)
                reject(fault?.kind === 'unsupported' && words.size === 0 ? fault : tooFew(best));
              return;
            }
            running++;
            sendToOne(nodes).then(note).catch(reject);
          }
        };
        const sendToOne = async (nodes: readonly Upstream[]): Promise<Word['answer'] | undefined> => {
          const others = voices.operators.flat().filter((node) => !nodes.includes(node));
          try {
            const excluded = new Set([...others, ...(except ?? [])]);
            return (await ask({ call: unshared, scope: inner, except: excluded })) as JsonText;
          } catch (error) {
            if (error instanceof ChainError) return error;
            if (!(error instanceof UpstreamFault) || error.kind === 'aborted') throw error;
            fault = error;
            return undefined;
          }
        };
        const note = async (answer: Word['answer'] | undefined): Promise<void> => {
          const name = answer === undefined ? '' : await nameAnswer(answer, inner);
          running--;
          if (answer !== undefined) {
            const word = words.get(name) ?? { answer, voices: 0 };
            words.set(name, word);
            word.answer = agreeOn(word.answer, answer);
            word.voices++;
            if (word.voices >= voices.needed) {
              scope.noteTrust('agreed');
              if (word.answer instanceof ChainError) reject(word.answer);
              else resolve(word.answer);
              return;
            }
          }
          launch();
        };
        const tooFew = (best: number): ChainError =>
          new TooFewVoices(
            `${best} of ${voices.total} configured operators give it, agreement demands ${voices.needed}`,
          );
        launch();
      });
    } finally {
      scope.hasCalledNode ||= inner.hasCalledNode;
      inner.abort();
      inner.release();
    }
  };
}

/** Costs that come after all prices: at nodes whose budget is used up, and at operators without a node that is expected to answer. */
const USED_UP = Number.MAX_SAFE_INTEGER;
const UNUSABLE = Number.MAX_VALUE;

/**
 * Sorts operators by the price of a call at their cheapest node that is expected to answer. Operators whose budget is used up come after the others, and
 * operators without such a node come last. If no node has prices, the order stays the same.
 */
function sortByCost(operators: readonly (readonly Upstream[])[], method: string): (readonly Upstream[])[] {
  if (operators.every((nodes) => nodes.every(({ spend }) => spend === undefined))) return [...operators];
  const isUsable = (node: Upstream): boolean =>
    node.standing === 'verified' && !node.isOutOfUse && mayAnswer(node, method);
  const priceOf = ({ spend }: Upstream): number =>
    spend?.isUsedUp === true ? USED_UP : (spend?.priceOf(method) ?? 0);
  const costs = new Map(
    operators.map((nodes) => [nodes, Math.min(UNUSABLE, ...nodes.filter(isUsable).map(priceOf))]),
  );
  return operators.toSorted((a, b) => (costs.get(a) ?? UNUSABLE) - (costs.get(b) ?? UNUSABLE));
}

/**
 * Merges two equal answers.
 * @returns the first answer; if both are errors and their messages differ, the message without its client-specific detail
 */
function agreeOn(first: Word['answer'], second: Word['answer']): Word['answer'] {
  if (!(first instanceof ChainError && second instanceof ChainError) || first.message === second.message)
    return first;
  // Two equal answers can have different messages only if they are errors of kind `failed`, because for other kinds the message is part of the key.
  return new ChainError('failed', withoutDetail(first.message), first.data);
}

/** Copies a request without its cache key and coalescing key, so that each node that receives a copy sends its own answer. */
function requestApart(call: UpstreamRequest): UpstreamRequest {
  // Some requests compute their parameters in a getter, which a spread does not copy.
  const { params, paramsByHash } = call;
  const { sharedAs: _, ...copy } = call;
  return {
    ...copy,
    params,
    ...(paramsByHash !== undefined && { paramsByHash }),
    key: undefined,
    isText: true,
  };
}

/** Error of a request for which too few operators returned the same answer. */
export class TooFewVoices extends ChainError {
  constructor(why: string) {
    super('unavailable', `the answer has too few voices: ${why}`);
  }
}
