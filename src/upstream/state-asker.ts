import { hexToBytes } from '../primitives/hex.ts';
import type { JsonText } from '../primitives/json-result.ts';
import { parseJsonText } from '../primitives/parse-json.ts';
import { encodeQuantity } from '../primitives/quantity.ts';
import type { StateNodes, StatePlace } from '../proven/state-nodes.ts';
import type { RequestScope } from '../util/request-scope.ts';
import type { ProofQuestion, ProvenState } from '../verification/state-proof.ts';
import type { PinnedBlock, QuestionParts } from './call-questions.ts';
import { checkData } from './checks/check-values.ts';
import type { RoutedCall } from './routed-call.ts';

/** Asks the pool for proofs of state and for codes, and compares what comes with the block. Throws UpstreamFault and ChainError. */
export class StateAsker implements StateNodes {
  readonly #parts: Pick<QuestionParts, 'ask' | 'proofs'>;

  constructor(parts: Pick<QuestionParts, 'ask' | 'proofs'>) {
    this.#parts = parts;
  }

  async askProof(
    question: ProofQuestion,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<ProvenState | undefined> {
    return (await this.askProofText(question, at, scope)).state;
  }

  /** The same, with the answer as the node gave it. */
  async askProofText(
    question: ProofQuestion,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<{ readonly text: JsonText; readonly state: ProvenState | undefined }> {
    const { ask, proofs } = this.#parts;
    const { address, slots } = question;
    let state: ProvenState | undefined;
    const call: RoutedCall = {
      ...describeRead('eth_getProof', `"${address}",${JSON.stringify(slots)}`, at),
      check(result, upstream) {
        state = proofs?.checkState(at, question, result as JsonText, upstream);
        return result;
      },
    };
    const text = (await ask({ call, scope })) as JsonText;
    return { text, state };
  }

  async askCode(
    address: string,
    codeHash: Uint8Array,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<Uint8Array> {
    const { ask, proofs } = this.#parts;
    const call: RoutedCall = {
      ...describeRead('eth_getCode', `"${address}"`, at),
      check(result, upstream) {
        // First: where it has to be parsed with pauses, all of this begins again.
        const code = parseJsonText(result as JsonText);
        const text = checkData(result) as JsonText;
        proofs?.checkCode(at, address, codeHash, code, upstream);
        return text;
      },
    };
    const text = (await ask({ call, scope })) as JsonText;
    return hexToBytes(JSON.parse(text) as string);
  }
}

/** A state read with the block as its last parameter. @param subject JSON text of the parameters before it */
export function describeRead(
  method: string,
  subject: string,
  { number, hash, isCanonical }: PinnedBlock['position'] & Pick<PinnedBlock, 'isCanonical'>,
): RoutedCall {
  const byHash = `[${subject},{"blockHash":"${hash}"}]`;
  return {
    method,
    params: isCanonical ? `[${subject},"${encodeQuantity(number)}"]` : byHash,
    paramsByHash: byHash,
    block: { number, hash },
    nulls: 'fault',
    isText: true,
  };
}
