import { encodeBody } from '../../../../packages/ethereum/codecs/block.ts';
import type { ChainConfig } from '../../../../packages/ethereum/codecs/chain-config.ts';
import { BLANK_HEADER, type Header } from '../../../../packages/ethereum/codecs/header.ts';
import { EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { EMPTY_TRIE_ROOT, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { encodeRlp } from '../../../../packages/ethereum/primitives/rlp.ts';
import { sha256 } from '../../../../packages/ethereum/primitives/sha256.ts';
import { rulesAt } from '../../../../packages/evm/transition/rules.ts';
import { buildPendingHeader } from '../simulation/pending-header.ts';
import type { StoredHeader } from '../store/chain-reader.ts';

const EMPTY_LIST_HASH = keccak256(encodeRlp([]));
/** Hash of an empty list of requests as defined by EIP-7685. */
const NO_REQUESTS_HASH = sha256(EMPTY_BYTES);

export type PendingBlock = { readonly header: Header; readonly body: Uint8Array };

/**
 * Builds the block after the head, without transactions. The block has the head's state root and an empty access list, because system calls are not
 * executed.
 */
export function buildPendingBlock(head: StoredHeader, config: ChainConfig): PendingBlock {
  const pending = buildPendingHeader(head, config);
  const { number, timestamp, parentHash, difficulty, gasLimit, stateRoot, baseFeePerGas, excessBlobGas } =
    pending;
  const isMerged = difficulty === 0n;
  const { revision } = rulesAt(config, { number, timestamp, isMerged });
  const { hasWithdrawals, hasRequests } = revision;
  const header: Header = {
    ...BLANK_HEADER,
    ...{ number, timestamp, parentHash, difficulty, gasLimit, stateRoot },
    ommersHash: EMPTY_LIST_HASH,
    transactionsRoot: EMPTY_TRIE_ROOT,
    receiptsRoot: EMPTY_TRIE_ROOT,
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
    ...(hasWithdrawals && { withdrawalsRoot: EMPTY_TRIE_ROOT }),
    ...(excessBlobGas !== undefined && {
      blobGasUsed: 0n,
      excessBlobGas,
      parentBeaconBlockRoot: new Uint8Array(32),
    }),
    ...(hasRequests && { requestsHash: NO_REQUESTS_HASH }),
    ...(pending.slotNumber !== undefined && {
      blockAccessListHash: EMPTY_LIST_HASH,
      slotNumber: pending.slotNumber,
    }),
  };
  const body = encodeBody({ transactions: [], uncles: [], ...(hasWithdrawals && { withdrawals: [] }) });
  return { header, body };
}
