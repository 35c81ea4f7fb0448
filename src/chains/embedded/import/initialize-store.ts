import { bytesEqual, EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { BlockError } from '../../../../packages/evm/transition/block-error.ts';
import type { Genesis } from '../../../../packages/evm/transition/genesis.ts';
import { StateCommitter } from '../state/state-committer.ts';
import { EMPTY_SOURCE } from '../state/state-source.ts';
import type { ChainWriter } from '../store/chain-writer.ts';
import { buildGenesisBlock } from './genesis-state.ts';

/**
 * Writes block 0 to an empty store, or checks that the store has the same block 0.
 * @param configText the genesis file's `config` object as JSON text
 * @throws BlockError naming both hashes when they differ
 */
export function initializeStore(writer: ChainWriter, genesis: Genesis, configText: string): void {
  const state = new StateCommitter(EMPTY_SOURCE);
  const block = buildGenesisBlock(genesis, state);
  if (writer.isEmpty) {
    writer.initialize(configText, block, state.collectBatch());
    return;
  }
  const stored = writer.openReader().getHeader(0n)?.hash ?? EMPTY_BYTES;
  if (!bytesEqual(stored, block.hash)) {
    throw new BlockError(
      `wrong genesis: the store's block 0 is ${bytesToHex(stored)}, the genesis file's is ${bytesToHex(block.hash)}`,
    );
  }
}
