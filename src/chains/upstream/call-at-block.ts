import type { JsonText } from '../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import type { CacheKey } from '../../cache/cache.ts';
import type { UpstreamRequest } from '../../pool/upstream-request.ts';

/** Parts from which the parameters of a call at a block are built. */
export type CallTexts = {
  /** JSON text of the parameter before the block. */
  readonly text: JsonText;
  /** JSON text of the parameters after the block, each preceded by a comma. */
  readonly overrides: string;
  /** True if the node must reject a block that is no longer canonical (`requireCanonical`). */
  readonly isStrict: boolean;
  /** True if the block is canonical, so that its number identifies it. */
  readonly isCanonical: boolean;
  /** True if the reference is `latest`. */
  readonly isHead: boolean;
};

/**
 * Request for a call at a block whose hash is known. When the request is sent, its parameters are encoded with the block number or the block hash, as
 * the node requires.
 */
export class CallAtBlock implements UpstreamRequest {
  readonly method: string;
  readonly block: { readonly number: bigint; readonly hash: string };
  readonly key: CacheKey | undefined;
  readonly nulls = 'fault';
  readonly isBuffered = true;
  readonly check: NonNullable<UpstreamRequest['check']>;
  readonly #texts: CallTexts;
  #byHash: JsonText | undefined;

  constructor(
    method: string,
    texts: CallTexts,
    block: { readonly number: bigint; readonly hash: string },
    key: CacheKey | undefined,
    check: NonNullable<UpstreamRequest['check']>,
  ) {
    this.method = method;
    this.#texts = texts;
    this.block = block;
    this.key = key;
    this.check = check;
  }

  /** Returns whether the block of the call is canonical, so that its number identifies it. */
  get isCanonical(): boolean {
    return this.#texts.isCanonical;
  }

  get params(): JsonText {
    const { text, overrides, isCanonical } = this.#texts;
    if (!isCanonical) return this.paramsByHash;
    return `[${text},"${encodeQuantity(this.block.number)}"${overrides}]`;
  }

  get paramsAlone(): JsonText | undefined {
    const { text, overrides, isHead } = this.#texts;
    return isHead && overrides === '' && this.method === 'eth_estimateGas' ? `[${text}]` : undefined;
  }

  get paramsByHash(): JsonText {
    const { text, overrides, isStrict } = this.#texts;
    this.#byHash ??= `[${text},{"blockHash":"${this.block.hash}","requireCanonical":${isStrict}}${overrides}]`;
    return this.#byHash;
  }
}
