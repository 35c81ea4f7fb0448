import { encodeBlockAccessList } from '../../../../packages/ethereum/codecs/block-access-list.ts';
import { type Header, hashHeader } from '../../../../packages/ethereum/codecs/header.ts';
import { trimLeadingZeros } from '../../../../packages/ethereum/primitives/bytes.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import type { StateChanges } from '../../../../packages/evm/interpreter/host.ts';
import type { Genesis } from '../../../../packages/evm/transition/genesis.ts';
import type { StateCommitter } from '../state/state-committer.ts';
import type { ExecutedBlock } from '../store/chain-writer.ts';

/** Builds block 0 with its state root, and seals the genesis accounts in `state`, which must be empty before. */
export function buildGenesisBlock(genesis: Genesis, state: StateCommitter): ExecutedBlock {
  state.apply(listGenesisState(genesis), 0n);
  const header: Header = { ...genesis.header, stateRoot: state.computeRoot() };
  state.sealBlock(0n);
  const withdrawals = header.withdrawalsRoot === undefined ? {} : { withdrawals: [] };
  return {
    block: { header, transactions: [], uncles: [], ...withdrawals },
    hash: hashHeader(header),
    totalDifficulty: header.difficulty,
    receipts: [],
    accessList: header.blockAccessListHash && encodeBlockAccessList([]),
  };
}

/** Returns the accounts of a genesis file as changes of an empty state. */
export function listGenesisState({ accounts }: Genesis): StateChanges {
  const codes: [codeHash: Uint8Array, code: Uint8Array][] = [];
  const changes = accounts.map(({ address, balance, nonce, code, storage }) => {
    const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code);
    if (code.length > 0) codes.push([codeHash, code]);
    return {
      address,
      account: { nonce, balance, codeHash },
      isStorageCleared: false,
      storage: storage.map(({ slot, value }) => [slot, trimLeadingZeros(value)] as const),
    };
  });
  return { accounts: changes, codes };
}
