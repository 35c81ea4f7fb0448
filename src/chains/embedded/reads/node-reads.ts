import type { JsonText } from '../../../../packages/ethereum/primitives/json-result.ts';
import { encodeQuantity } from '../../../../packages/ethereum/primitives/quantity.ts';
import type { NodeReads } from '../../../chain/chain.ts';
import { encodeForkConfig } from './fork-config.ts';
import { requirePart, type StoredBlocks } from './stored-blocks.ts';

/** Value of a capability whose data the store has for every block from genesis on. */
const WHOLE = '{"disabled":false,"oldestBlock":"0x0"}';

/**
 * Reports sync state, fork configuration and capabilities of the embedded chain. The chain is never syncing, because it contains all imported blocks.
 */
export class EngineNode implements NodeReads {
  readonly #blocks: StoredBlocks;
  readonly #proofBlocks: number;

  /** @param proofBlocks number of blocks below the head for which proofs are available */
  constructor(blocks: StoredBlocks, proofBlocks: number) {
    this.#blocks = blocks;
    this.#proofBlocks = proofBlocks;
  }

  getSyncing(): JsonText {
    return 'false';
  }

  getConfig(): JsonText {
    const { head, reader } = this.#blocks;
    return encodeForkConfig(reader.config, requirePart(reader.getHeader(0n)), head.header.timestamp);
  }

  /**
   * Returns for which blocks data is available. Headers, bodies, receipts, indexes and state are available for every block, proofs only for the head
   * and `proofBlocks` blocks below it.
   */
  getCapabilities(): JsonText {
    const { header, hashText } = this.#blocks.head;
    return (
      `{"head":{"number":"${encodeQuantity(header.number)}","hash":"${hashText}"},"state":${WHOLE},"tx":${WHOLE},` +
      `"logs":${WHOLE},"receipts":${WHOLE},"blocks":${WHOLE},` +
      `"stateproofs":${encodeWindow(header.number, this.#proofBlocks)}}`
    );
  }
}

/** Encodes a capability whose data is available for the head and the `below` blocks before the head. */
function encodeWindow(head: bigint, below: number): JsonText {
  const oldest = head > below ? head - BigInt(below) : 0n;
  const strategy = `{"type":"window","retentionBlocks":"${encodeQuantity(below + 1)}"}`;
  return `{"disabled":false,"oldestBlock":"${encodeQuantity(oldest)}","deleteStrategy":${strategy}}`;
}
