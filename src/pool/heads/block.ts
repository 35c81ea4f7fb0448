import type { HeaderView } from '../../chain/chain.ts';

/** Members of a block without its lists of transactions, uncles and withdrawals. Hashes and data are lower-case hex with `0x`. */
export type BlockHeader = {
  readonly number: bigint;
  readonly hash: string;
  readonly parentHash: string;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  readonly gasLimit: bigint;
  /** Base fee in wei (EIP-1559); undefined before the London fork. */
  readonly baseFeePerGas: bigint | undefined;
  readonly extraData: string;
  /** Proof-of-work difficulty; 0 under proof of stake and on every layer 2. */
  readonly difficulty: bigint;
};

/** A block as `eth_getBlockByNumber(…, false)` returns it. */
export type ReportedBlock = BlockHeader & {
  readonly transactionHashes: readonly string[];
  readonly uncleHashes: readonly string[];
  /** Bloom filter of the logs, 256 bytes; undefined if the node omits it. */
  readonly logsBloom: string | undefined;
  /** EIP-7928; undefined before Amsterdam, and if the node omits it. */
  readonly blockAccessListHash: string | undefined;
};

/** Returns the header members that JSON-RPC methods of this service read. */
export function viewHeader({
  number,
  hash,
  timestamp,
  gasLimit,
  baseFeePerGas,
  extraData,
}: BlockHeader): HeaderView {
  return {
    number,
    hash,
    timestamp,
    gasLimit,
    extraData,
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
  };
}
