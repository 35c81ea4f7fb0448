import type { HeaderView } from '../../chain/chain.ts';

/** Fields of a block without its lists; hashes and data are lower-case `0x` text. */
export type BlockHeader = {
  readonly number: bigint;
  readonly hash: string;
  readonly parentHash: string;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  readonly gasLimit: bigint;
  /** Absent before London. */
  readonly baseFeePerGas: bigint | undefined;
  readonly extraData: string;
  /** 0 after the merge and on every layer 2. */
  readonly difficulty: bigint;
};

/** A block as `eth_getBlockByNumber(…, false)` returns it. */
export type ReportedBlock = BlockHeader & {
  readonly transactionHashes: readonly string[];
  readonly uncleHashes: readonly string[];
  /** 256 bytes; undefined where the node omits it. */
  readonly logsBloom: string | undefined;
  /** EIP-7928; undefined before Amsterdam, and where the node omits it. */
  readonly blockAccessListHash: string | undefined;
};

/** Returns the header fields that the service's methods read. */
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
