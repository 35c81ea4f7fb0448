import type { RequestScope } from '../util/request-scope.ts';
import { hashUncles } from '../verification/hash-uncles.ts';
import { asText } from '../verification/members.ts';
import type { BlockAccess } from './block-access.ts';
import type { QuestionParts } from './call-questions.ts';
import { parseObjectInTurns } from './checks/parse-object.ts';
import { UpstreamFault } from './fault.ts';
import type { Witness } from './routed-call.ts';
import type { Upstream } from './upstream.ts';

/** Maximum uncles of one block (yellow paper, section 11.1). Further ones that a node lists are not requested. */
const MAX_UNCLES = 2;
/** Maximum number of nodes that are tried until the uncles of a block match the hash in its header. */
const MAX_WITNESSES = 3;

/** Verifies uncle hashes. A header commits to the uncles' headers, not to the hashes that nodes list, so all uncles are needed for the comparison. */
export class UncleProofs {
  readonly #parts: QuestionParts;
  readonly #access: BlockAccess;

  constructor(parts: QuestionParts, access: BlockAccess) {
    this.#parts = parts;
    this.#access = access;
  }

  /**
   * Finds the hashes of the uncles that a header commits to.
   * @param committed `sha3Uncles` of the block, which was recomputed
   * @returns undefined if no node has uncles with that hash
   */
  async find(
    block: { readonly number: bigint; readonly hash: string },
    committed: string,
    scope: RequestScope,
  ): Promise<readonly string[] | undefined> {
    const { verifier } = this.#parts.proofs ?? {};
    if (verifier === undefined) return undefined;
    const asked = new Set<Upstream>();
    for (let i = 0; i < MAX_WITNESSES; i++) {
      try {
        const { texts, witnesses } = await this.#ask(block, asked, scope);
        const listed = texts.filter((text) => text !== 'null');
        const uncles = await Promise.all(listed.map((text) => parseObjectInTurns(text, scope)));
        if (hashUncles(uncles, verifier.openTools().writer) === committed)
          return uncles.map((uncle) => asText(uncle['hash']).toLowerCase());
        for (const { upstream } of witnesses) if (upstream !== undefined) asked.add(upstream);
      } catch (error) {
        if (error instanceof UpstreamFault) return undefined;
        throw error;
      }
    }
    return undefined;
  }

  /** Requests the uncles without the cache: a single one is not compared with anything. A wrong null leads to another hash. */
  async #ask(
    block: { readonly number: bigint; readonly hash: string },
    except: ReadonlySet<Upstream>,
    scope: RequestScope,
  ): Promise<{ readonly texts: readonly string[]; readonly witnesses: readonly Witness[] }> {
    const witnesses = Array.from({ length: MAX_UNCLES }, (): Witness => ({}));
    const texts = await Promise.all(
      witnesses.map((witness, index) => {
        const params = [block.hash, `0x${index.toString(16)}`];
        const about = this.#access.about('eth_getUncleByBlockHashAndIndex', block, params);
        const call = { ...about, key: undefined, nulls: 'truth', isText: true } as const;
        return this.#parts.ask({ call, scope, except, witness });
      }),
    );
    return { texts: texts.map(String), witnesses };
  }
}
