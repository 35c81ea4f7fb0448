import { bytesEqual } from '../ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../ethereum/primitives/hex.ts';
import { keccak256 } from '../ethereum/primitives/keccak.ts';
import { computeOrderedRoot } from '../ethereum/primitives/ordered-root.ts';
import { readRlpSpan, splitRlpList } from '../ethereum/primitives/rlp.ts';
import { ETHEREUM_FORM } from './header-forms.ts';
import { asText } from './members.ts';
import type { VerifiedHeader } from './verify-block.ts';
import type { VerifyTools } from './verify-transaction.ts';

/** Item positions in a header and in a block (yellow paper 4.3; EIP-4895). */
const UNCLES_HASH = 1;
const TRANSACTIONS_ROOT = 4;
const WITHDRAWALS_ROOT = 16;
const WITHDRAWALS = 3;
/** Transaction types are below this number (EIP-2718). */
const FIRST_NO_TYPE = 0x80;

/** Compares an encoded header with its block hash. @param text `0x` and hex digits */
export function verifyRawHeader(text: string, hash: string, { findings }: VerifyTools): void {
  if (bytesToHex(keccak256(hexToBytes(text))) === hash) return;
  findings.contradict('header', 'the encoded header does not hash to the block hash');
}

/**
 * Compares an encoded block with its verified header. On chains with another header form than Ethereum's, the items behind the uncles are
 * chain-specific and are not compared. If the header is nested in an outer list, only the header is compared.
 * @param text `0x` and hex digits
 */
export function verifyRawBlock(
  text: string,
  { hash, form }: Pick<VerifiedHeader, 'hash' | 'form'>,
  { findings }: VerifyTools,
): void {
  try {
    const items = splitRlpList(hexToBytes(text));
    const [header, transactions, uncles, withdrawals] = items;
    if (header === undefined || transactions === undefined || uncles === undefined) throw new RangeError();
    if (bytesToHex(keccak256(header)) !== hash) {
      findings.contradict('header', 'the encoded header does not hash to the block hash');
      return;
    }
    if (form.outer !== undefined) {
      findings.noteUnknown('transactions', 'the block encoding of this chain is not known');
      return;
    }
    const fields = splitRlpList(header);
    const isAt = (position: number, root: Uint8Array): boolean => {
      const field = fields[position];
      return field !== undefined && bytesEqual(field.subarray(1), root);
    };
    if (!isAt(UNCLES_HASH, keccak256(uncles)))
      findings.contradict('uncles', 'the encoded uncles do not hash to the uncles hash in the header');
    if (!isAt(TRANSACTIONS_ROOT, computeOrderedRoot(splitRlpList(transactions).map(unwrap))))
      findings.contradict('transactions', 'the encoded transactions do not hash to the root in the header');
    if (form !== ETHEREUM_FORM) {
      findings.noteUnknown('withdrawals', 'the items that follow the uncles on this chain are not known');
      return;
    }
    if (items.length > WITHDRAWALS + 1)
      findings.contradict('withdrawals', 'the encoded block has more items than its header commits to');
    const hasRoot = fields.length > WITHDRAWALS_ROOT;
    const values = withdrawals === undefined ? [] : splitRlpList(withdrawals);
    if (
      hasRoot !== (withdrawals !== undefined) ||
      (hasRoot && !isAt(WITHDRAWALS_ROOT, computeOrderedRoot(values)))
    )
      findings.contradict(
        'withdrawals',
        'the encoded withdrawals do not match the withdrawals root in the header',
      );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    findings.contradict('header', 'the encoded block is malformed');
  }
}

/**
 * Unwraps a typed transaction, a byte string that begins with the type. Returns a legacy transaction unchanged.
 * @throws RangeError for a string without a type
 */
function unwrap(item: Uint8Array): Uint8Array {
  const span = readRlpSpan(item, 0, item.length);
  if (span === undefined || span.isList) return item;
  if ((item[span.start] ?? FIRST_NO_TYPE) >= FIRST_NO_TYPE) throw new RangeError();
  return item.subarray(span.start);
}

/** Compares the encoded receipts of a block with the root in its header. @param texts encoded receipts as hex texts */
export function verifyRawReceipts(texts: unknown, receiptsRoot: string, { findings }: VerifyTools): void {
  try {
    if (!Array.isArray(texts)) throw new RangeError();
    const values = texts.map((text) => hexToBytes(asText(text)));
    if (bytesToHex(computeOrderedRoot(values)) === receiptsRoot) return;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  findings.contradict('receipts', 'the encoded receipts do not hash to the root in the header');
}
