import type { RequestScope } from '../util/request-scope.ts';
import { hashUncles } from '../verification/hash-uncles.ts';
import type { BlockAccess } from './block-access.ts';
import type { QuestionParts } from './call-questions.ts';
import { parseObject } from './checks/check-values.ts';
import { UpstreamFault } from './fault.ts';

/** A block and the hashes of uncles that a node lists of it. */
export type ListedUncles = {
  readonly number: bigint;
  readonly hash: string;
  readonly uncleHashes: readonly string[];
};

/** A header commits to the uncles' headers, not to the hashes that nodes list: all of them are needed to compare. */
export class UncleProofs {
  readonly #parts: QuestionParts;
  readonly #access: BlockAccess;

  constructor(parts: QuestionParts, access: BlockAccess) {
    this.#parts = parts;
    this.#access = access;
  }

  /**
   * Compares listed uncles with their block's header. Where nodes do not have them all, they stay unproven.
   * @throws UpstreamFault `wrong` where others are listed than the header commits to
   */
  async prove({ number, hash, uncleHashes }: ListedUncles, scope: RequestScope): Promise<void> {
    const { proofs } = this.#parts;
    const committed = proofs?.blocks?.find(hash)?.header.unclesHash;
    if (proofs?.verifier === undefined || committed === undefined || uncleHashes.length === 0) return;
    const { verifier } = proofs;
    if (verifier.whyUnproven(hash, ['uncles']) === undefined) return;
    const about = { number, hash };
    const texts = await Promise.all(
      uncleHashes.map((_, index) => {
        const call = this.#access.about('eth_getUncleByBlockHashAndIndex', about, [
          hash,
          `0x${index.toString(16)}`,
        ]);
        return this.#access.askText(call, scope);
      }),
    );
    const uncles = texts.map(parseObject);
    if (hashUncles(uncles, verifier.openTools().writer) !== committed) return;
    const hashes = uncles.map((uncle) => String(uncle['hash']).toLowerCase());
    if (hashes.join() !== uncleHashes.join().toLowerCase()) {
      throw new UpstreamFault('wrong', 'the block lists other uncles than its header commits to');
    }
    verifier.noteProven(hash, 'uncles');
  }
}
