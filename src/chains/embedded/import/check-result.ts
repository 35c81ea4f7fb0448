import type { Block } from '../../../chain/block.ts';
import { validateBlockAccessList } from '../../../chain/block-access-list.ts';
import type { Header } from '../../../chain/header.ts';
import { encodeReceipt } from '../../../chain/receipt.ts';
import type { BuiltAccessList } from '../../../engine/transition/block-access-recorder.ts';
import { BlockError } from '../../../engine/transition/block-error.ts';
import type { BlockResult } from '../../../engine/transition/execute-block.ts';
import type { BlockRules } from '../../../engine/transition/rules.ts';
import { mergeBloom } from '../../../primitives/bloom.ts';
import { bytesEqual, EMPTY_BYTES } from '../../../primitives/bytes.ts';
import { bytesToHex } from '../../../primitives/hex.ts';
import { keccak256 } from '../../../primitives/keccak.ts';
import { computeOrderedRoot } from '../../../primitives/ordered-root.ts';

/** Compares the execution result with the header, state root excluded. @throws BlockError naming both values */
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
