import type { NodeReads } from '../../chain/chain.ts';
import type { JsonText } from '../../primitives/json-result.ts';
import { encodeQuantity } from '../../primitives/quantity.ts';
import { encodeForkConfig } from './fork-config.ts';
import { requirePart, type StoredBlocks } from './stored-blocks.ts';

/** What is there of every block of the store, from the genesis block on. */
const WHOLE = '{"disabled":false,"oldestBlock":"0x0"}';

/** What the embedded chain says about itself. It is never behind: what is imported is all there is. */
export class EngineNode implements NodeReads {
  readonly #blocks: StoredBlocks;
  readonly #proofBlocks: number;

  /** @param proofBlocks blocks below the head that have proofs, as the head has */
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

  /** Headers, bodies, receipts, indexes and state of every block are kept; proofs reach back a number of blocks. */
  getCapabilities(): JsonText {
    const { header, hashText } = this.#blocks.head;
    return (
      `{"head":{"number":"${encodeQuantity(header.number)}","hash":"${hashText}"},"state":${WHOLE},"tx":${WHOLE},` +
      `"logs":${WHOLE},"receipts":${WHOLE},"blocks":${WHOLE},` +
      `"stateproofs":${encodeWindow(header.number, this.#proofBlocks)}}`
    );
  }
}

/** Capability of a resource that the head and `below` blocks under it have. */
function encodeWindow(head: bigint, below: number): JsonText {
  const oldest = head > below ? head - BigInt(below) : 0n;
  const strategy = `{"type":"window","retentionBlocks":"${encodeQuantity(below + 1)}"}`;
  return `{"disabled":false,"oldestBlock":"${encodeQuantity(oldest)}","deleteStrategy":${strategy}}`;
}
