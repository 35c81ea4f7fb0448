import {
  type Block,
  encodeBlock,
  unclesToRlp,
  withdrawalToRlp,
} from '../../../../packages/ethereum/codecs/block.ts';
import { blobGasOf } from '../../../../packages/ethereum/codecs/transaction.ts';
import { bytesEqual } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { computeOrderedRoot } from '../../../../packages/ethereum/primitives/ordered-root.ts';
import { encodeRlp } from '../../../../packages/ethereum/primitives/rlp.ts';
import { BlockError } from '../../../../packages/evm/transition/block-error.ts';
import type { BlockRules } from '../../../../packages/evm/transition/rules.ts';

function expectHash(have: Uint8Array, want: Uint8Array, name: string): void {
  if (!bytesEqual(have, want)) {
    throw new BlockError(`${name} mismatch: body has ${bytesToHex(have)}, header ${bytesToHex(want)}`);
  }
}

/** Checks that a body matches its header. @throws BlockError naming the mismatch */
export function validateBody(block: Block, rules: BlockRules): void {
  const { header, transactions, uncles, withdrawals } = block;
  expectHash(keccak256(encodeRlp(unclesToRlp(uncles))), header.ommersHash, 'uncles hash');
  const transactionsRoot = computeOrderedRoot(transactions.map(({ encoded }) => encoded));
  expectHash(transactionsRoot, header.transactionsRoot, 'transactions root');
  if ((withdrawals !== undefined) !== (header.withdrawalsRoot !== undefined)) {
    throw new BlockError(withdrawals === undefined ? 'missing withdrawals' : 'unexpected withdrawals');
  }
  if (withdrawals !== undefined && header.withdrawalsRoot !== undefined) {
    const root = computeOrderedRoot(withdrawals.map((withdrawal) => encodeRlp(withdrawalToRlp(withdrawal))));
    expectHash(root, header.withdrawalsRoot, 'withdrawals root');
  }
  const blobGas = transactions.reduce((sum, tx) => sum + blobGasOf(tx), 0n);
  if (blobGas !== (header.blobGasUsed ?? 0n)) {
    throw new BlockError(`blob gas used mismatch: body has ${blobGas}, header ${header.blobGasUsed ?? 0n}`);
  }
  const { blockSizeLimit } = rules.revision;
  if (blockSizeLimit !== undefined) {
    const size = encodeBlock(block).length;
    if (size > blockSizeLimit) throw new BlockError(`the block has ${size} bytes, max ${blockSizeLimit}`);
  }
}
