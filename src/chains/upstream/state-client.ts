import { hexToBytes } from '../../../packages/ethereum/primitives/hex.ts';
import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { parseJsonText } from '../../../packages/ethereum/primitives/parse-json.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { StateProofRequest, VerifiedState } from '../../../packages/proofs/state-proof.ts';
import { ChainError } from '../../chain/errors.ts';
import type { Upstream } from '../../pool/upstream.ts';
import type { AnsweredBy, UpstreamRequest } from '../../pool/upstream-request.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { StateNodes, StatePlace } from '../local-execution/proven/state-nodes.ts';
import type { PinnedBlock, RequestParts } from './call-requests.ts';
import { checkData } from './checks/check-values.ts';
import { keepUnique, rewriteAnswer } from './keep-unique.ts';

/**
 * Maximum length of a proof from which unneeded trie nodes are removed, UTF-16 units: twice a proof of 128 slots, the maximum per request. Encoding a
 * proof of this length takes 4 ms.
 */
const MAX_REWRITTEN = 3 * 1024 * 1024;
/** Maximum number of other nodes that are tried after a node refuses a proof. */
const MAX_REFUSALS = 16;
/** Error kinds that the gateway itself raises, in contrast to answers of a node. */
const OF_SERVICE: ReadonlySet<ChainError['kind']> = new Set<ChainError['kind']>([
  'unavailable',
  'aborted',
  'busy',
  'timeout',
]);

type VerifiedProof = {
  readonly accountProof: readonly unknown[];
  readonly storageProof: readonly { readonly proof: readonly unknown[] }[];
};

type GivenProof = { readonly text: JsonText; readonly state: VerifiedState | undefined };

/** Requests state proofs and codes from the node pool, and verifies them against the block's state root. Throws UpstreamFault and ChainError. */
export class StateClient implements StateNodes {
  readonly #parts: Pick<RequestParts, 'ask' | 'proofs'>;

  constructor(parts: Pick<RequestParts, 'ask' | 'proofs'>) {
    this.#parts = parts;
  }

  async requestProof(
    request: StateProofRequest,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<VerifiedState | undefined> {
    return (await this.#ask(request, at, scope, (text) => text)).state;
  }

  /**
   * Requests a proof, and returns the node's text with the verified state. The text is serialized again if an object repeats a name, or if a proof
   * has unneeded trie nodes.
   */
  requestProofText(request: StateProofRequest, at: StatePlace, scope: RequestScope): Promise<GivenProof> {
    // The proof is rewritten in the check, because before the check a long text was already parsed with pauses.
    return this.#ask(request, at, scope, (text, { extra }) =>
      extra === undefined ? keepUnique(text) : dropNodes(text, extra),
    );
  }

  async #ask(
    request: StateProofRequest,
    at: StatePlace,
    scope: RequestScope,
    finish: (text: JsonText, state: VerifiedState) => JsonText,
  ): Promise<GivenProof> {
    const { proofs } = this.#parts;
    const { address, slots } = request;
    let state: VerifiedState | undefined;
    const call: UpstreamRequest = {
      check(result, upstream) {
        state = proofs?.checkState(at, request, result as JsonText, upstream);
        return state === undefined ? result : finish(result as JsonText, state);
      },
      ...describeRead('eth_getProof', `"${address}",${JSON.stringify(slots)}`, at),
    };
    const text = await this.#requestFromProvers(call, scope);
    return { text, state };
  }

  async requestCode(
    address: string,
    codeHash: Uint8Array,
    at: StatePlace,
    scope: RequestScope,
  ): Promise<Uint8Array> {
    const { proofs } = this.#parts;
    const call: UpstreamRequest = {
      check(result, upstream) {
        // The text is parsed before it is checked: if the text is long, `parseJsonText` throws, and the whole check runs again after a parse with
        // pauses.
        const code = parseJsonText(result as JsonText);
        const text = checkData(result) as JsonText;
        proofs?.checkCode(at, address, codeHash, code, upstream);
        return text;
      },
      ...describeRead('eth_getCode', `"${address}"`, at),
    };
    const text = await this.#requestFromProvers(call, scope);
    return hexToBytes(JSON.parse(text) as string);
  }

  /**
   * Sends a request to one node after the other. An error of one node does not end the search: the request is valid, and another node may have a
   * proof.
   * @throws the error of the first node if no node sends a proof
   */
  async #requestFromProvers(call: UpstreamRequest, scope: RequestScope): Promise<JsonText> {
    const except = new Set<Upstream>();
    let refusal: ChainError | undefined;
    for (;;) {
      const witness: AnsweredBy = {};
      try {
        return (await this.#parts.ask({ call, scope, except, witness })) as JsonText;
      } catch (error) {
        if (!isWordOfNode(error)) throw refusal ?? error;
        refusal ??= error;
        if (witness.upstream === undefined || except.size === MAX_REFUSALS) throw refusal;
        except.add(witness.upstream);
      }
    }
  }
}

/** Returns a proof without the trie nodes at the indexes `extra`. @param extra as in `VerifiedState` */
function dropNodes(
  text: JsonText,
  [ofAccount = [], ...ofSlots]: NonNullable<VerifiedState['extra']>,
): JsonText {
  const drop = (nodes: readonly unknown[], positions: readonly number[]): readonly unknown[] =>
    nodes.filter((_, position) => !positions.includes(position));
  const proof = parseJsonText(text) as VerifiedProof;
  const dropped: VerifiedProof = {
    ...proof,
    accountProof: drop(proof.accountProof, ofAccount),
    storageProof: proof.storageProof.map((slot, at) => ({
      ...slot,
      proof: drop(slot.proof, ofSlots[at] ?? []),
    })),
  };
  return rewriteAnswer(text, dropped, 'the proof has nodes that are not needed', MAX_REWRITTEN);
}

/** Returns whether an error from the pool is a node's answer. */
function isWordOfNode(error: unknown): error is ChainError {
  return error instanceof ChainError && !OF_SERVICE.has(error.kind);
}

/** Builds a request for state, with the block as the last parameter. @param subject JSON text of the parameters before the block */
export function describeRead(
  method: string,
  subject: string,
  { number, hash, isCanonical }: PinnedBlock['position'] & Pick<PinnedBlock, 'isCanonical'>,
): UpstreamRequest {
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
