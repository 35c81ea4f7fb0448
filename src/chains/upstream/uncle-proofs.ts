import { hashUncles } from '../../../packages/proofs/hash-uncles.ts';
import { asText } from '../../../packages/proofs/members.ts';
import { UpstreamFault } from '../../pool/fault.ts';
import type { Upstream } from '../../pool/upstream.ts';
import type { AnsweredBy } from '../../pool/upstream-request.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import type { BlockAccess } from './block-access.ts';
import type { RequestParts } from './call-requests.ts';
import { parseObjectInSlots } from './checks/parse-object.ts';

/** Maximum number of uncles of one block (yellow paper, section 11.1). */
const MAX_UNCLES = 2;
/** Maximum number of attempts at different nodes until the uncles of a block match the hash in its header. */
const MAX_CONFIRMATIONS = 3;

/** Verifies uncle hashes. A header commits to the headers of the uncles and not to their hashes, so the comparison needs all uncle headers. */
export class UncleProofs {
  readonly #parts: RequestParts;
  readonly #access: BlockAccess;

  constructor(parts: RequestParts, access: BlockAccess) {
    this.#parts = parts;
    this.#access = access;
  }

  /**
   * Returns the hashes of the uncles to which a header commits.
   * @param committed `sha3Uncles` of the block's verified header
   * @returns undefined if no node has uncles whose hash is `committed`
   */
  async find(
    block: { readonly number: bigint; readonly hash: string },
    committed: string,
    scope: RequestScope,
  ): Promise<readonly string[] | undefined> {
    const { verifier } = this.#parts.proofs ?? {};
    if (verifier === undefined) return undefined;
    const requested = new Set<Upstream>();
    for (let i = 0; i < MAX_CONFIRMATIONS; i++) {
      try {
        const { texts, confirmations } = await this.#ask(block, requested, scope);
        const listed = texts.filter((text) => text !== 'null');
        const uncles = await Promise.all(listed.map((text) => parseObjectInSlots(text, scope)));
        if (hashUncles(uncles, verifier.openTools().writer) === committed)
          return uncles.map((uncle) => asText(uncle['hash']).toLowerCase());
        for (const { upstream } of confirmations) if (upstream !== undefined) requested.add(upstream);
      } catch (error) {
        if (error instanceof UpstreamFault) return undefined;
        throw error;
      }
    }
    return undefined;
  }

  /**
   * Requests the uncles without the cache, because a single uncle is not verified. If a node returns null for an existing uncle, the hash of all
   * uncles does not match the header.
   */
  async #ask(
    block: { readonly number: bigint; readonly hash: string },
    except: ReadonlySet<Upstream>,
    scope: RequestScope,
  ): Promise<{ readonly texts: readonly string[]; readonly confirmations: readonly AnsweredBy[] }> {
    const confirmations = Array.from({ length: MAX_UNCLES }, (): AnsweredBy => ({}));
    const texts = await Promise.all(
      confirmations.map((witness, index) => {
        const params = [block.hash, `0x${index.toString(16)}`];
        const about = this.#access.about('eth_getUncleByBlockHashAndIndex', block, params);
        const call = { ...about, key: undefined, nulls: 'truth', isText: true } as const;
        return this.#parts.ask({ call, scope, except, witness });
      }),
    );
    return { texts: texts.map(String), confirmations };
  }
}
