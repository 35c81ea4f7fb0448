import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import type { JsonResult } from '../../../../packages/ethereum/primitives/json-result.ts';
import {
  continueWith,
  type PromiseOrValue,
  recoverWith,
} from '../../../../packages/ethereum/primitives/promise-or-value.ts';
import { ChainError } from '../../../chain/errors.ts';
import type { BlockReference } from '../../../chain/requests.ts';
import type { RequestScope } from '../../../util/request-scope.ts';
import { SCHEDULER } from '../../../util/slot-scheduler.ts';
import { HeadMovedError, PastTries, runAtHead } from '../state/past-tries.ts';
import type { StoredHeader } from '../store/chain-reader.ts';
import { type ProofRequest, writeProof } from './proof-json.ts';
import type { StoredBlocks } from './stored-blocks.ts';

/** Maximum number of attempts to build one proof; an attempt fails when an import moves the head meanwhile. */
const MAX_ATTEMPTS = 10;

/** Merkle proofs of accounts and slots, at the head and at the blocks shortly below it. */
export class EngineProofs {
  readonly #blocks: StoredBlocks;
  readonly #depth: bigint;
  readonly #tries: PastTries;

  /** @param depth number of blocks below the head for which proofs are available */
  constructor(blocks: StoredBlocks, depth: number) {
    this.#blocks = blocks;
    this.#depth = BigInt(depth);
    this.#tries = new PastTries(blocks.reader);
  }

  /**
   * Returns the proof.
   * @throws ChainError `failed` when the block does not exist or is too far below the head; `busy` when the head moves too often
   */
  getProof(request: ProofRequest, block: BlockReference, scope: RequestScope): PromiseOrValue<JsonResult> {
    return this.#attempt(request, this.#blocks.findState(block).block, scope, MAX_ATTEMPTS);
  }

  #attempt(
    request: ProofRequest,
    block: StoredHeader,
    scope: RequestScope,
    attempts: number,
  ): PromiseOrValue<JsonResult> {
    return recoverWith(
      () => this.#write(request, block, scope),
      (error) => {
        if (!(error instanceof HeadMovedError)) throw error;
        if (attempts === 1 || scope.aborted) throw new ChainError('busy', 'proofs.attempts');
        return this.#attempt(request, block, scope, attempts - 1);
      },
    );
  }

  #write(request: ProofRequest, block: StoredHeader, scope: RequestScope): PromiseOrValue<JsonResult> {
    const { reader } = this.#blocks;
    const { number, stateRoot } = block.header;
    const head = reader.head.header.number;
    if (number < head - this.#depth) throw new ChainError('failed', missingStateText(stateRoot, this.#depth));
    const owner = scope.owner ?? '';
    return continueWith(this.#tries.open(block, head, owner), (trie) =>
      SCHEDULER.run(owner, runAtHead(reader, head, writeProof(trie, request, stateRoot, scope))),
    );
  }
}

/** Returns geth's error text for pruned state, extended by the number of blocks below the head that have proofs. */
function missingStateText(stateRoot: Uint8Array, depth: bigint): string {
  const root = bytesToHex(stateRoot);
  return `missing trie node ${root.slice(2)} (path ) state ${root} is not available, proofs reach ${depth} blocks below the head`;
}
