/** Reasons of refusals: the test files' exceptions, and the equivalent error texts here. */
const TEXT_BY_EXCEPTION: Readonly<Record<string, RegExp>> = {
  INSUFFICIENT_ACCOUNT_FUNDS: /^insufficient funds for gas \* price \+ value/,
  GASLIMIT_PRICE_PRODUCT_OVERFLOW: /required balance exceeds 256 bits/,
  INTRINSIC_GAS_TOO_LOW: /^intrinsic gas too low/,
  INTRINSIC_GAS_BELOW_FLOOR_GAS_COST: /^insufficient gas for floor data gas cost/,
  GAS_LIMIT_EXCEEDS_MAXIMUM: /^transaction gas limit too high/,
  GAS_ALLOWANCE_EXCEEDED: /^gas limit reached/,
  NONCE_IS_MAX: /^nonce has max value/,
  NONCE_MISMATCH_TOO_HIGH: /^nonce too high/,
  NONCE_MISMATCH_TOO_LOW: /^nonce too low/,
  SENDER_NOT_EOA: /^sender not an eoa/,
  INITCODE_SIZE_EXCEEDED: /^max initcode size exceeded/,
  INSUFFICIENT_MAX_FEE_PER_GAS: /^max fee per gas less than block base fee/,
  PRIORITY_GREATER_THAN_MAX_FEE_PER_GAS: /^max priority fee per gas higher than max fee per gas/,
  TYPE_1_TX_PRE_FORK: /^transaction type not supported/,
  TYPE_2_TX_PRE_FORK: /^transaction type not supported/,
  TYPE_3_TX_PRE_FORK: /^transaction type not supported/,
  TYPE_4_TX_PRE_FORK: /^transaction type not supported/,
  INSUFFICIENT_MAX_FEE_PER_BLOB_GAS: /^max fee per blob gas less than block blob gas fee/,
  TYPE_3_TX_ZERO_BLOBS: /^blob transaction missing blob hashes/,
  TYPE_3_TX_INVALID_BLOB_VERSIONED_HASH: /invalid hash version/,
  TYPE_3_TX_CONTRACT_CREATION: /^blob transaction of type create/,
  TYPE_3_TX_BLOB_COUNT_EXCEEDED: /^too many blobs in transaction/,
  TYPE_3_TX_MAX_BLOB_GAS_ALLOWANCE_EXCEEDED: /^blob gas used \d+, max/,
  TYPE_4_TX_CONTRACT_CREATION: /^EIP-7702 transaction cannot be used to create contract/,
  TYPE_4_EMPTY_AUTHORIZATION_LIST: /^EIP-7702 transaction with empty auth list/,
};

/**
 * Whether a refusal is for one of the reasons that a file allows: `A|B`, each with its class in front.
 * An exception without a text in the table matches no refusal.
 */
export function isExpectedRefusal(text: string, expected: string): boolean {
  return expected.split('|').some((exception) => {
    const name = exception.slice(exception.indexOf('.') + 1);
    return TEXT_BY_EXCEPTION[name]?.test(text) === true;
  });
}
