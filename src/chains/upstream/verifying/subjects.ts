/** Parts (`Subject`) that must be verified for each kind of answer. */

import type { Subject } from '../../../../packages/proofs/findings.ts';
import type { RawPart } from '../../../chain/requests.ts';

/** Subjects that are verified by the transactions of a block, in addition to its header. */
export const OF_TRANSACTIONS: readonly Subject[] = [
  'transactions',
  'place',
  'members',
  'from',
  'gasPrice',
  'chainId',
];
/** Subjects that are verified by the receipts of a block, in addition to its header and its transactions. */
export const OF_RECEIPTS: readonly Subject[] = [
  'receipts',
  'place',
  'members',
  'gasUsed',
  'contractAddress',
  'effectiveGasPrice',
  'logIndex',
  'blobGas',
];

/** Subjects of an answer that is a header. */
export const HEADER_SUBJECTS: readonly Subject[] = ['header', 'members'];
/** Subjects of an uncle, which is a header to which the header of its block commits. */
export const UNCLE_SUBJECTS: readonly Subject[] = [...HEADER_SUBJECTS, 'uncles'];
export const TRANSACTION_SUBJECTS: readonly Subject[] = ['header', ...OF_TRANSACTIONS];
/** Subjects of blocks with whole transactions. */
export const BLOCK_SUBJECTS: readonly Subject[] = ['header', ...OF_TRANSACTIONS, 'withdrawals', 'uncles'];
export const RECEIPT_SUBJECTS: readonly Subject[] = ['header', 'transactions', ...OF_RECEIPTS, 'from'];
/** Subjects of encoded headers, blocks and receipts. */
export const RAW_SUBJECTS: Readonly<Record<RawPart, readonly Subject[]>> = {
  header: ['header'],
  block: ['header', 'transactions', 'withdrawals'],
  receipts: ['header', 'receipts'],
};
export const STATE_SUBJECTS: readonly Subject[] = ['header', 'state'];
