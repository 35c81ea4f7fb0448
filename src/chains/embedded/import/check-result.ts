import type { Block } from '../../../../packages/ethereum/codecs/block.ts';
import { validateBlockAccessList } from '../../../../packages/ethereum/codecs/block-access-list.ts';
import type { Header } from '../../../../packages/ethereum/codecs/header.ts';
import { encodeReceipt } from '../../../../packages/ethereum/codecs/receipt.ts';
import { mergeBloom } from '../../../../packages/ethereum/primitives/bloom.ts';
import { bytesEqual, EMPTY_BYTES } from '../../../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex } from '../../../../packages/ethereum/primitives/hex.ts';
import { keccak256 } from '../../../../packages/ethereum/primitives/keccak.ts';
import { computeOrderedRoot } from '../../../../packages/ethereum/primitives/ordered-root.ts';
import type { BuiltAccessList } from '../../../../packages/evm/transition/block-access-recorder.ts';
import { BlockError } from '../../../../packages/evm/transition/block-error.ts';
import type { BlockResult } from '../../../../packages/evm/transition/execute-block.ts';
import type { BlockRules } from '../../../../packages/evm/transition/rules.ts';

/** Compares the execution result with the header, except the state root. @throws BlockError naming both values */
export function compareWithHeader(block: Block, result: BlockResult, { revision }: BlockRules): void {
  const { header } = block;
  if (result.gasUsed !== header.gasUsed) {
    throw mismatch('gas used', result.gasUsed.toString(), header.gasUsed.toString());
  }
  expectHash('receipts root', computeOrderedRoot(result.receipts.map(encodeReceipt)), header.receiptsRoot);
  const bloom = new Uint8Array(256);
  for (const { logsBloom } of result.receipts) mergeBloom(bloom, logsBloom);
  expectHash('logs bloom', bloom, header.logsBloom);
  expectHash('requests hash', result.requestsHash ?? EMPTY_BYTES, header.requestsHash ?? EMPTY_BYTES);
  if (result.accessList !== undefined) checkAccessList(block, result.accessList, revision.codeLimit);
}

function checkAccessList(
  { header, transactions }: Block,
  { list, encoded }: BuiltAccessList,
  codeLimit: number | undefined,
): void {
  expectHash('block access list hash', keccak256(encoded), header.blockAccessListHash ?? EMPTY_BYTES);
  try {
    validateBlockAccessList(list, {
      gasLimit: header.gasLimit,
      transactions: transactions.length,
      codeLimit,
    });
  } catch (error) {
    throw new BlockError((error as Error).message);
  }
}

/** @throws BlockError naming both roots */
export function checkStateRoot(header: Header, stateRoot: Uint8Array): void {
  expectHash('state root', stateRoot, header.stateRoot);
}

function expectHash(what: string, have: Uint8Array, want: Uint8Array): void {
  if (!bytesEqual(have, want)) throw mismatch(what, bytesToHex(have), bytesToHex(want));
}

function mismatch(what: string, have: string, want: string): BlockError {
  return new BlockError(`${what} mismatch: computed ${have}, header has ${want}`);
}
