import type { JsonResult, JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import type { PromiseOrValue } from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../../../chain/errors.ts';
import { UpstreamFault } from '../../../pool/fault.ts';
import type { Upstream } from '../../../pool/upstream.ts';
import type { RequestContext, Send, UpstreamRequest } from '../../../pool/upstream-request.ts';
import { nameAnswer, withoutDetail } from './name-answer.ts';
import type { OperatorVoices } from './operator-voices.ts';

/** Functions that send requests whose answers are not covered by a root. */
export type UncoveredParts = {
  readonly ask: Send;
  /** Requests the answer from as many operators as must return the same; present if agreement is mandatory. */
  readonly sendToVoices?: Send | undefined;
};

/**
 * Requests an answer that is not covered by a root, and records its trust level: `agreed` if agreement is mandatory, otherwise `single`.
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

/** An answer, and the number of operators that returned it. */
type Word = { answer: JsonText | ChainError; voices: number };

/**
 * Creates a `Send` that requires the same answer from `voices.needed` operators. It sends the request to one node of each of that many operators
 * concurrently, and to further operators if one fails or contradicts. Member order and the case of hex digits do not matter.
 */
export function createSendToVoices(ask: Send, voices: OperatorVoices): Send {
  return async ({ call, scope, except }) => {
    if (call.isSticky === true) throw new TooFewVoices('the pending state comes from one node only');
    const unshared = requestApart(call);
    const words = new Map<string, Word>();
    const waiting = [...voices.operators];
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

/** @returns the common answer, without client-specific detail of errors if the two messages differ */
function agreeOn(first: Word['answer'], second: Word['answer']): Word['answer'] {
  if (!(first instanceof ChainError && second instanceof ChainError) || first.message === second.message)
    return first;
  // Errors of all other kinds have equal messages here, because the message is part of the key.
  return new ChainError('failed', withoutDetail(first.message), first.data);
}

/** Copies a call without its cache and coalescing keys, so that each node answers separately. */
function requestApart(call: UpstreamRequest): UpstreamRequest {
  // Some calls compute their parameters in a getter, which a spread does not copy.
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

/** Error for an answer that fewer operators than required have returned. */
export class TooFewVoices extends ChainError {
  constructor(why: string) {
    super('unavailable', `the answer has too few voices: ${why}`);
  }
}
