import type { Genesis } from '../../chain/genesis.ts';
import { type Header, hashHeader } from '../../chain/header.ts';
import { trimLeadingZeros } from '../../primitives/bytes.ts';
import { EMPTY_TRIE_ROOT } from '../../primitives/keccak.ts';
import type { ExecutedBlock } from '../../store/chain-writer.ts';
import { EMPTY_ACCOUNT } from '../state/account.ts';
import { StateTrie } from '../state/state-trie.ts';
import { TrieStateView } from '../state/state-view.ts';
import { WorldState } from '../state/world-state.ts';
import type { StateBuffer } from './state-buffer.ts';

/** Block 0 with its state root, and the state itself in `buffer`. */
export function buildGenesisBlock(genesis: Genesis, buffer: StateBuffer): ExecutedBlock {
  const source = { loadNode: buffer.loadNode, loadCode: buffer.loadCode };
  const world = new WorldState(new TrieStateView(EMPTY_TRIE_ROOT, source));
  for (const { address, balance, nonce, code, storage } of genesis.accounts) {
    world.putAccount(address, { ...EMPTY_ACCOUNT, balance, nonce });
    if (code.length > 0) world.putCode(address, code);
    for (const { slot, value } of storage) world.putStorage(address, slot, trimLeadingZeros(value));
  }
  const trie = new StateTrie(EMPTY_TRIE_ROOT, buffer.loadNode, buffer.storeNode);
  const stateRoot = trie.apply(world);
  buffer.addCodes(world.codes);
  const header: Header = { ...genesis.header, stateRoot };
  const withdrawals = header.withdrawalsRoot === undefined ? {} : { withdrawals: [] };
  return {
    block: { header, transactions: [], uncles: [], ...withdrawals },
    hash: hashHeader(header),
    totalDifficulty: header.difficulty,
    receipts: [],
  };
}
