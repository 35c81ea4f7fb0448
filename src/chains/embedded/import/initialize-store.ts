import type { Header } from '../../../../packages/ethereum/codecs/header.ts';
import { bytesEqual, EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { BlockError } from '../../../../packages/evm/transition/block-error.ts';
import type { Genesis } from '../../../../packages/evm/transition/genesis.ts';
import { StateCommitter } from '../state/state-committer.ts';
import { EMPTY_SOURCE } from '../state/state-source.ts';
import type { ChainWriter } from '../store/chain-writer.ts';
import { type ConfigDifference, compareConfigs } from './compare-configs.ts';
import { buildGenesisBlock } from './genesis-state.ts';

/**
 * Writes block 0 to an empty store. For another store, checks that it has the same block 0, and takes over a configuration that differs only in the
 * rules of blocks above the head, as geth does.
 * @param configText the genesis file's `config` object as JSON text
 * @returns differences between the stored configuration and the one that replaced it
 * @throws BlockError naming both hashes if the stored block 0 differs; naming the member and both values if rules of stored blocks differ
 */
export function initializeStore(
  writer: ChainWriter,
  genesis: Genesis,
  configText: string,
): readonly ConfigDifference[] {
  const state = new StateCommitter(EMPTY_SOURCE);
  const block = buildGenesisBlock(genesis, state);
  if (writer.isEmpty) {
    writer.initialize(configText, block, state.collectBatch());
    return [];
  }
  const reader = writer.openReader();
  const stored = reader.getHeader(0n)?.hash ?? EMPTY_BYTES;
  if (!bytesEqual(stored, block.hash)) {
    throw new BlockError(
      `wrong genesis: the store's block 0 is ${bytesToHex(stored)}, the genesis file's is ${bytesToHex(block.hash)}`,
    );
  }
  if (reader.configText === configText) return [];
  const { head } = reader;
  const differences = compareConfigs(reader.config, genesis.config, head);
  const past = differences.find(({ isPast }) => isPast);
  if (past !== undefined) throw new BlockError(describePastChange(past, head.header));
  writer.replaceConfig(configText, head.header.number);
  return differences;
}

function describePastChange(
  { member, before, after }: ConfigDifference,
  { number, timestamp }: Header,
): string {
  return (
    `${member} is ${after} in the genesis file, but ${before} in the store, whose blocks up to ${number} (timestamp ${timestamp}) ` +
    'follow other rules then: correct the genesis file, or import the whole chain into a new folder'
  );
}
