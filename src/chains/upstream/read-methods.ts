import type { JsonResult } from '../../../packages/ethereum/primitives/json-result.ts';
import type { NullMeaning } from '../../pool/upstream-request.ts';
import { trimFeeHistory } from './checks/check-fees.ts';
import { checkData, checkHex, checkQuantity } from './checks/check-values.ts';

/** Block parameter of a read method, and meaning of a null answer for a block that exists. */
export type ReadRule = {
  /** Index of the block parameter; absent if there is none. */
  readonly block?: number;
  /** True if the block parameter may be missing, which means `latest`. */
  readonly isOptional?: boolean;
  /** True if nodes that support EIP-1898 accept a block hash as this parameter. */
  readonly takesHash?: boolean;
  /** True if the answer contains its block's hash, which can be compared with the requested block. */
  readonly namesBlock?: boolean;
  /** Answer to a request for a block above the served head. If absent, the answer is the error `header not found`. */
  readonly above?: 'null';
  readonly nulls: NullMeaning;
  /** Checks the form of an answer. */
  readonly check?: (result: JsonResult) => JsonResult;
};

const STATE: ReadRule = { takesHash: true, nulls: 'fault' };
const PLAIN: ReadRule = { nulls: 'fault' };

/**
 * Read methods that every network of nodes serves. Read methods do not write, sign or administer, and leave no state in the node (filters,
 * subscriptions).
 */
export const READ_METHODS: ReadonlyMap<string, ReadRule> = new Map([
  ['eth_getBalance', { ...STATE, block: 1, check: checkQuantity }],
  ['eth_getCode', { ...STATE, block: 1, check: checkData }],
  ['eth_getStorageAt', { ...STATE, block: 2, check: checkHex }],
  ['eth_getTransactionCount', { ...STATE, block: 1, check: checkQuantity }],
  ['eth_getProof', { ...STATE, block: 2 }],
  ['eth_createAccessList', { ...STATE, block: 1, isOptional: true }],
  ['eth_feeHistory', { block: 1, nulls: 'fault', check: trimFeeHistory }],
  ['eth_getBlockByNumber', { block: 0, above: 'null', nulls: 'doubt', namesBlock: true }],
  ['eth_getLogs', PLAIN],
  ['eth_gasPrice', { ...PLAIN, check: checkQuantity }],
  ['eth_maxPriorityFeePerGas', { ...PLAIN, check: checkQuantity }],
  ['eth_blobBaseFee', { ...PLAIN, check: checkQuantity }],
  ['eth_syncing', PLAIN],
]);

/** Rule for all other methods, whose parameters are not inspected. */
export const UNKNOWN_METHOD: ReadRule = { nulls: 'truth' };
