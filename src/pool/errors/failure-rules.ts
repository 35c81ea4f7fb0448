import { PRECOMPILE_RULES } from './precompile-rules.ts';
import type { Rule } from './rule.ts';

const FUNDS = 'insufficient funds for gas * price + value';
const ALLOWANCE = 'gas required exceeds allowance';
const OUT_OF_GAS = 'out of gas';

/**
 * Messages of each client for transactions and calls that fail in execution, or in the checks before execution. A rule has geth's equivalent message
 * if there is one.
 */
export const FAILURE_RULES: readonly Rule[] = [
  // Messages of other clients for failures for which geth has its own message.
  {
    client: 'anvil',
    pattern: /^out of gas: gas required exceeds allowance: (\d{1,20})$/i,
    kind: 'failed',
    geth: `${ALLOWANCE} ($1)`,
  },
  {
    client: 'reth',
    pattern:
      /^out of gas: (?:gas required exceeds|gas exhausted during .{1,40}|invalid operand to an opcode): (\d{1,20})$/i,
    kind: 'failed',
    geth: OUT_OF_GAS,
    gethEstimate: `${ALLOWANCE} ($1)`,
  },
  {
    client: 'anvil',
    pattern: /^insufficient funds for gas \* price \+ value$/i,
    kind: 'failed',
    geth: FUNDS,
  },
  {
    client: 'reth',
    pattern: /^insufficient funds for gas \* price \+ value: (have \d{1,78} want \d{1,78})$/i,
    kind: 'failed',
    geth: `${FUNDS}: $1`,
  },
  {
    client: 'anvil',
    pattern: /^intrinsic gas too high -- CallGasCostMoreThanGasLimit/i,
    kind: 'failed',
    geth: 'intrinsic gas too low',
  },
  { client: 'anvil', pattern: /^intrinsic gas too high -- CallerGasLimitMoreThanBlock/i, kind: 'failed' },
  {
    client: 'Nethermind',
    pattern:
      /^insufficient sender balance for gas \* price \+ value(: address .{1,60} have \d{1,78} want \d{1,78})?/i,
    kind: 'failed',
    geth: `${FUNDS}$1`,
  },
  {
    client: 'Nethermind',
    pattern: /^cannot estimate gas, gas spent exceeded transaction and block gas limit\b/i,
    kind: 'failed',
    geth: ALLOWANCE,
  },
  {
    client: 'Besu',
    pattern: /^intrinsic gas exceeds gas limit/i,
    kind: 'failed',
    geth: 'intrinsic gas too low',
  },
  {
    client: 'Besu',
    pattern: /^max priority fee per gas exceeds max fee per gas/i,
    kind: 'failed',
    geth: 'max priority fee per gas higher than max fee per gas',
  },
  { client: 'Besu', pattern: /^wrong chainId/i, kind: 'failed', geth: "chainId does not match node's" },
  {
    client: 'Besu',
    pattern:
      /^transaction processing could not be completed due to an exception(?::? .{0,20}insufficient[ _]gas)/i,
    kind: 'failed',
    geth: OUT_OF_GAS,
  },
  {
    client: 'Besu',
    pattern: /^transaction processing could not be completed due to an exception/i,
    kind: 'failed',
  },
  {
    client: 'OpenEthereum',
    pattern: /^insufficient funds\. The account you tried/i,
    kind: 'failed',
    geth: FUNDS,
  },
  {
    client: 'OpenEthereum',
    pattern: /^transaction gas is too low\./i,
    kind: 'failed',
    geth: 'intrinsic gas too low',
  },
  {
    client: 'zkSync',
    pattern: /^(?:failed to submit transaction: )?insufficient funds for gas \+ value\./i,
    kind: 'failed',
    geth: FUNDS,
  },
  {
    client: 'zkSync',
    pattern:
      /^(?:failed to submit transaction: )?(?:failed to validate the transaction|can ?not estimate gas)/i,
    kind: 'failed',
  },

  // EVM halts as revm names them (anvil, reth).
  {
    client: 'revm',
    pattern: /^EVM error:? OutOfGas/i,
    kind: 'failed',
    geth: OUT_OF_GAS,
    gethEstimate: ALLOWANCE,
  },
  // If any other invalid opcode is executed, the message of revm does not contain the opcode.
  {
    client: 'revm',
    pattern: /^EVM error:? InvalidFEOpcode/i,
    kind: 'failed',
    geth: 'invalid opcode: INVALID',
  },
  {
    client: 'revm',
    pattern: /^EVM error:? (?:OpcodeNotFound|NotActivated)/i,
    kind: 'failed',
    geth: 'invalid opcode',
  },
  { client: 'revm', pattern: /^EVM error:? InvalidJump/i, kind: 'failed', geth: 'invalid jump destination' },
  { client: 'revm', pattern: /^EVM error:? StackUnderflow/i, kind: 'failed', geth: 'stack underflow' },
  {
    client: 'revm',
    pattern: /^EVM error:? StackOverflow/i,
    kind: 'failed',
    geth: 'stack limit reached 1024 (1023)',
  },
  { client: 'revm', pattern: /^EVM error:? CallTooDeep/i, kind: 'failed', geth: 'max call depth exceeded' },
  { client: 'revm', pattern: /^EVM error:? OutOfOffset/i, kind: 'failed', geth: 'return data out of bounds' },
  {
    client: 'revm',
    pattern: /^EVM error:? OutOfFunds/i,
    kind: 'failed',
    geth: 'insufficient balance for transfer',
  },
  {
    client: 'revm',
    pattern: /^EVM error:? (?:StateChangeDuringStaticCall|CallNotAllowedInsideStatic)/i,
    kind: 'failed',
    geth: 'write protection',
  },
  {
    client: 'revm',
    pattern: /^EVM error:? CreateCollision/i,
    kind: 'failed',
    geth: 'contract address collision',
  },
  {
    client: 'revm',
    pattern: /^EVM error:? CreateContractSizeLimit/i,
    kind: 'failed',
    geth: 'max code size exceeded',
  },
  {
    client: 'revm',
    pattern: /^EVM error:? CreateInitCodeSizeLimit/i,
    kind: 'failed',
    geth: 'max initcode size exceeded',
  },
  {
    client: 'revm',
    pattern: /^EVM error:? CreateContractStartingWithEF/i,
    kind: 'failed',
    geth: 'invalid code: must not begin with 0xef',
  },
  { client: 'revm', pattern: /^EVM error:? InvalidOperandOOG/i, kind: 'failed', geth: 'gas uint64 overflow' },
  {
    client: 'revm',
    pattern: /^EVM error:? (?:Memory|MemoryLimit|Precompile|ReentrancySentry)OOG/i,
    kind: 'failed',
    geth: OUT_OF_GAS,
    gethEstimate: ALLOWANCE,
  },
  ...PRECOMPILE_RULES,
  { client: 'revm', pattern: /^EVM error:? [A-Z]/i, kind: 'failed' },

  // Messages of geth, and of clients that use the same words.
  { client: 'geth', pattern: /^(?:err|failed with \d{1,20} gas): /i, kind: 'failed' },
  { client: 'geth', pattern: /^execution aborted\b/i, kind: 'failed' },
  { client: 'geth', pattern: /^gas required exceeds allowance\b/i, kind: 'failed' },
  {
    client: 'geth',
    pattern:
      /^(?:out of gas|out of memory|invalid opcode|stack underflow|stack limit reached|invalid jump destination|write protection|return data out of bounds|gas uint64 overflow|max call depth exceeded|nonce uint64 overflow|contract creation code storage out of gas|contract address collision|invalid code\b|evm: |precompile\b)/i,
    kind: 'failed',
  },
  { client: 'geth', pattern: /^max (?:code|initcode) size exceeded/i, kind: 'failed' },
  { client: 'geth', pattern: /^insufficient (?:funds|balance|gas)\b/i, kind: 'failed' },
  {
    client: 'geth',
    pattern: /^(?:intrinsic gas too (?:low|high)|gas limit (?:too high|reached))/i,
    kind: 'failed',
  },
  { client: 'geth', pattern: /^nonce (?:too low|too high|has max value)/i, kind: 'failed' },
  { client: 'geth', pattern: /^max (?:priority )?fee per (?:blob )?gas\b/i, kind: 'failed' },
  { client: 'geth', pattern: /^both gasPrice and\b/i, kind: 'failed' },
  { client: 'geth', pattern: /^(?:chainId does not match|invalid chain id)/i, kind: 'failed' },
  { client: 'geth', pattern: /^sender (?:is )?not an EOA/i, kind: 'failed' },
  {
    client: 'geth',
    pattern:
      /^(?:transaction type not supported|EIP-7702\b|blob (?:transaction|hash)|transaction(?:'s)? gas limit\b|exceeds (?:maximum |block )?gas limit)/i,
    kind: 'failed',
  },
  {
    client: 'geth, reth',
    pattern:
      /^account 0x[0-9a-f]{40} (?:is not a precompile|is already overridden|has already been overridden|has both)\b/i,
    kind: 'failed',
  },
  { client: 'geth', pattern: /^block override "[a-z]{1,40}" is not supported\b/i, kind: 'failed' },
  {
    client: 'geth',
    pattern:
      /^(?:value exceeds 256 bits|blobGasFeeCap exceeds 256 bits|blob \d{1,6} has invalid hash version|invalid (?:blobBaseFee|baseFee): |gas limit overflow|RPC gas cap exhausted)/i,
    kind: 'failed',
  },
  {
    client: 'geth',
    pattern:
      /^(?:both "data" and "input" are set|contract creation without any data|missing "to" in blob transaction|authorizationList provided\b|need at least 1 blob|too many blobs in transaction|"blobs" is not supported|maxFeePerBlobGas, if specified|maxFeePerGas (?:must be non-zero|\(\d{1,78}\) < max|and maxPriorityFeePerGas are not valid)|gasPrice must be non-zero)/i,
    kind: 'failed',
  },
  {
    client: 'reth',
    pattern:
      /^(?:transactions before .{1,40} should not have|max_fee_per_blob_gas is not supported|blob_versioned_hashes is not supported|transaction priority fee below minimum)/i,
    kind: 'failed',
  },
  {
    client: 'revm',
    pattern:
      /^(?:priority fee is greater than max fee|gas price is less than basefee|caller gas limit exceeds the block|call gas cost \(|gas floor \(|reject transactions from senders with|lack of funds \(|overflow payment in transaction|nonce overflow in transaction|nonce \d{1,20} too (?:high|low)|create initcode size limit|empty (?:blobs|authorization list)|too many blobs, have|blob create transaction|authorization list (?:not supported|tx has)|Eip\d{4} is not supported)/i,
    kind: 'failed',
  },
  { client: 'geth', pattern: /^failed to process (?:withdrawal|consolidation) queue: /i, kind: 'failed' },
];

/** Error codes that always mean that a transaction cannot be executed; the message does not matter. */
export const FAILURE_CODE_RULES: readonly Rule[] = [
  { client: 'EIP-1474', codes: [-32003], kind: 'failed' },
  {
    client: 'eth_simulateV1',
    codes: [-38010, -38011, -38012, -38013, -38014, -38015, -38020, -38021, -38024, -38025],
    kind: 'failed',
  },
];
