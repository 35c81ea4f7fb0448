/**
 * Constants shared by host and core. The host imports these definitions. From the same data, the build writes the core's constants (core/generated),
 * with the same names in upper case.
 */

const KiB = 1 << 10;
const MiB = 1 << 20;

/** Sizes and limits that host and core use. */
export const CORE_LIMITS = {
  /** Maximum depth of a frame; the first frame has depth 0 (EIP-150's call depth). */
  maxDepth: 1024,
  /** Size of a frame record, bytes. */
  frameSize: 256,
  /** Maximum words on a frame's stack. */
  stackLimit: 1024,
  /** Maximum sizes of the open-addressing hash tables, in 32-bit pointers; powers of two. */
  accountIndexSize: 262_144,
  slotIndexSize: 4_194_304,
  codeIndexSize: 65_536,
  /** Binary logarithm of the number of cached hashes of 64-byte inputs. */
  pairHashesBits: 11,
  maxBlobHashes: 1024,
  /** Zero bytes after each cached code, so that reading a whole word at the end of the code stays inside its entry. */
  slack: 64,
  /** Number of the precompile at 0x100 (EIP-7951). Each other precompile has its address as its number. */
  p256Number: 18,
  p256Address: 0x100,
} as const;

/**
 * Regions of linear memory, contiguous unless `at` fixes the start. Regions never move, and unused pages take no physical memory. Words are 32 bytes:
 * four little-endian 64-bit limbs, lowest first. Account addresses are words too; their upper 12 bytes are zero.
 */
const REGIONS: readonly { readonly name: string; readonly size: number; readonly at?: number }[] = [
  // Data exchanged between host and core: `EXCHANGE_WORDS`, `EXCHANGE_FIELDS`.
  { name: 'exchange', size: 64 * KiB, at: MiB },
  // Frames of the call stack, at most `maxDepth` + 1.
  { name: 'frames', size: 512 * KiB },
  // Properties of the revision's instructions, by opcode: `OPCODE_FACT`.
  { name: 'opcodes', size: 64 * KiB },
  // Cached hashes of 64-byte inputs, 96 bytes per entry: core/pair-hashes.
  { name: 'pairHashes', size: 96 << CORE_LIMITS.pairHashesBits },
  { name: 'accountIndex', size: 4 * CORE_LIMITS.accountIndexSize, at: 2 * MiB },
  { name: 'slotIndex', size: 4 * CORE_LIMITS.slotIndexSize },
  { name: 'codeIndex', size: 4 * CORE_LIMITS.codeIndexSize },
  // Entries to which the hash tables (indexes) point. A hash table is at most half full. A transaction of 200 million gas has room for all slots
  // (TSTORE: 100 gas each) and all undo steps that it can pay for.
  { name: 'accounts', size: 24 * MiB, at: 20 * MiB },
  { name: 'slots', size: 256 * MiB },
  { name: 'codes', size: 64 * MiB },
  // Contiguous stacks of the frames. A frame's stack begins where the stack of its caller ends.
  { name: 'stacks', size: 34 * MiB },
  // Undo log of the running transaction.
  { name: 'journal', size: 128 * MiB },
  // Logs of the running transaction: `LOG_FIELD`.
  { name: 'logs', size: 32 * MiB },
  // Pointers to accounts and slots that differ from the underlying state, and to accounts that a transaction touched.
  { name: 'dirty', size: 4 * MiB },
  { name: 'touched', size: 4 * MiB },
  // Return data of the last call.
  { name: 'returnData', size: 32 * MiB },
  // Instructions of one basic block that is decoded again without fusing, to find the instruction that fails.
  { name: 'exact', size: 2 * MiB },
  // Calls that run one after another: one `CALL_ENTRY` per call, the input bytes of all calls, and their concatenated outputs.
  { name: 'callTable', size: 4 * KiB },
  { name: 'callBytes', size: 64 * KiB },
  { name: 'callOutputs', size: 64 * KiB },
  // Input of the message, then the contiguous memories of the frames, up to the end of linear memory.
  { name: 'arena', size: 0 },
];

/** Start and end of each region. */
export const CORE_REGIONS: ReadonlyMap<string, { readonly start: number; readonly end: number }> = place();

function place(): ReadonlyMap<string, { readonly start: number; readonly end: number }> {
  const placed = new Map<string, { start: number; end: number }>();
  let free = 0;
  for (const { name, size, at = free } of REGIONS) {
    if (at < free) throw new RangeError(`the region ${name} overlaps the one before it`);
    placed.set(name, { start: at, end: at + size });
    free = at + size;
  }
  return placed;
}

/** Returns the start address of a region. @throws RangeError when there is no such region */
export function startOf(region: string): number {
  const found = CORE_REGIONS.get(region);
  if (found === undefined) throw new RangeError(`no region ${region}`);
  return found.start;
}

/** Names of the words in the exchange region, in order; 32 bytes each. */
const WORDS = [
  'blockNumber',
  'blockTimestamp',
  'blockBeneficiary',
  'blockGasLimit',
  /** Result of opcode 0x44: the difficulty, or prevRandao after the merge (EIP-4399). */
  'blockRandom',
  'blockBaseFee',
  'blockBlobBaseFee',
  'chainId',
  'origin',
  'gasPrice',
  'caller',
  'target',
  'value',
  /** Address and key of the data that a run requests next, or arguments and results of single queries. */
  'requestAddress',
  'requestKey',
  /** Words that the host writes or reads, for example balance, storage value and code hash. */
  'wordA',
  'wordB',
  'blockSlot',
] as const;

const EXCHANGE = startOf('exchange');

/** Addresses in the exchange region by name of the exchanged word (`WORDS`). */
export const EXCHANGE_WORDS: Readonly<Record<(typeof WORDS)[number], number>> = Object.fromEntries(
  WORDS.map((name, i) => [name, EXCHANGE + 32 * i]),
) as Record<(typeof WORDS)[number], number>;

/** Addresses of the fields of the exchange region that are not in `WORDS`. */
export const EXCHANGE_FIELDS: Readonly<
  Record<'blobCount' | 'ruleNumbers' | 'blockHashes' | 'blobHashes', number>
> = {
  /** Number of the transaction's blobs (4 bytes). */
  blobCount: EXCHANGE + 576,
  /** `RULE_NUMBERS`, 8 bytes each. */
  ruleNumbers: EXCHANGE + 584,
  /**
   * Cache of 256 requested block hashes, by block number modulo 256. A cache entry consists of the block number + 1 (8 bytes) and the hash (32
   * bytes).
   */
  blockHashes: EXCHANGE + KiB,
  /** Hashes of the transaction's blobs (EIP-4844), 32 big-endian bytes each. */
  blobHashes: EXCHANGE + 16 * KiB,
};

/** Size of an opcode's properties in bytes, and their offsets: static gas (4), inputs (1), outputs (1), flags (1). */
export const OPCODE_FACT = { size: 8, gas: 0, inputs: 4, outputs: 5, flags: 6 } as const;
export const OPCODE_FLAG = {
  isDefined: 1,
  /** The next instruction begins another block, since this instruction reads gas or leaves the block. */
  endsBlock: 2,
  /** The next instruction is reachable by jumps only. */
  endsPath: 4,
} as const;

/** Byte offsets in the entry of a storage slot. */
export const SLOT_FIELD = { key: 0, value: 32 } as const;

/**
 * Byte offsets in an entry of the call table: addresses in memory of sender, recipient and data, sizes of data and output (4 bytes each), gas (an
 * f64).
 */
export const CALL_ENTRY = {
  from: 0,
  to: 4,
  data: 8,
  dataSize: 12,
  outputSize: 16,
  gas: 24,
  size: 32,
} as const;

/** Byte offsets in a log entry: address (32 bytes, whose upper bytes hold number and kind), counts (4 each), topics (32 each), data; aligned to 8. */
export const LOG_FIELD = { number: 24, isTransfer: 28, topicCount: 32, dataSize: 36, topics: 40 } as const;

/** Recording modes, as bits. */
export const RECORD = { transfers: 1, accesses: 2, logNumbers: 4, blockAccesses: 8 } as const;

/** End statuses of frames. Statuses from `outOfGas` on consume all gas of the frame, except `insufficientBalance` and `nonceOverflow`. */
export const STATUS = {
  success: 0,
  revert: 1,
  outOfGas: 2,
  stackUnderflow: 3,
  stackOverflow: 4,
  invalidOpcode: 5,
  invalidJump: 6,
  writeProtection: 7,
  returnDataOutOfBounds: 8,
  codeStoreOutOfGas: 9,
  maxCodeSize: 10,
  maxInitCodeSize: 11,
  invalidCode: 12,
  addressCollision: 13,
  // Failures of a call before its first instruction. After such a failure, except `precompileFailed`, the calling contract gets back all gas that it
  // passed on.
  insufficientBalance: 14,
  callDepth: 15,
  nonceOverflow: 16,
  precompileFailed: 17,
  // A memory region of the core is full, which is a limit of this implementation, not of the EVM.
  memoryLimit: 18,
  gasOverflow: 19,
  // Out of gas, with geth's detail: the price of memory, or the gas for a callee before EIP-150, exceeds 64 bits.
  priceOverflow: 20,
  // The gas covered the static gas of a call or SELFDESTRUCT, but not the rest of its price.
  outOfCallGas: 21,
  reentrancySentry: 22,
} as const;

/** Reasons why the core's `run` returns. */
export const RUN = {
  /** No message was begun: the sender of a simple call is not loaded, or there is no room for the sender or the input. */
  notBegun: -1,
  done: 0,
  /** The gas slice is used up; no data is needed. */
  sliceUsed: 1,
  needsAccount: 2,
  needsSlot: 3,
  needsCode: 4,
  needsBlockHash: 5,
  needsPrecompile: 6,
} as const;

/** Results of an account lookup that finds no usable entry. */
export const ENTRY = {
  /** No entry: the region is full. */
  none: 0,
  /** The account must be loaded first. */
  unknown: 1,
} as const;

/** Rule switches, in bit order. */
export const RULE_SWITCHES = [
  /** A contract creation fails when its gas cannot pay for storing the code. */
  'EIP2',
  /** At least 1/64 of the remaining gas of a caller is not passed on. */
  'EIP150',
  /** Empty accounts do not exist (EIP-158, 161). */
  'EIP158',
  /** Net gas metering of SSTORE: EIP-1283 or 2200. */
  'NET_METERING',
  /** SSTORE fails with 2,300 gas or less. */
  'EIP2200',
  /** Accounts and slots are cold until their first access in a transaction. */
  'EIP2929',
  /** New code must not begin with 0xef. */
  'EIP3541',
  /** SELFDESTRUCT destroys only contracts created in the same transaction. */
  'EIP6780',
  /** Delegations. */
  'EIP7702',
  /** SELFDESTRUCT gives no refund. */
  'EIP3529',
  /** The block's beneficiary is warm at the beginning of every transaction. */
  'EIP3651',
  /** Contract creation fails at an address with storage. */
  'EIP7610',
  /** Value transfers emit logs. */
  'EIP7708',
  /** State gas, and the prices of EIP-8038. */
  'EIP8037',
  /** Destroyed contracts keep their balance. */
  'EIP8246',
] as const;
export type RuleSwitch = (typeof RULE_SWITCHES)[number];

/** Names of the revision's numeric rules, in order; 64 bits each. */
export const RULE_NUMBERS = [
  /** Gas of EXP per byte of the exponent. */
  'expByteGas',
  /** Gas of SSTORE to a slot that the transaction already wrote; gas of SSTORE that changes a slot; refund for clearing a slot. */
  'storageAgainGas',
  'storageResetGas',
  'storageClearRefund',
  /** Maximum size of code and of initialisation code, bytes. */
  'codeLimit',
  'initCodeLimit',
  /** Gas of CREATE and CREATE2 per word of initialisation code. */
  'initCodeWordGas',
  /** Gas of the first access to an account in a transaction, of later accesses, and of the first write to an account. */
  'coldAccountGas',
  'warmAccountGas',
  'accountWriteGas',
  /** Gas of CALL and CALLCODE with value; gas of CALL and SELFDESTRUCT that create an account. */
  'callValueGas',
  'newAccountGas',
  /** Execution gas per byte, and per word, of deployed code. */
  'codeByteGas',
  'codeWordGas',
  /** State gas per byte of code, per account, per slot. */
  'stateByteGas',
  'stateAccountGas',
  'stateSlotGas',
] as const;
export type RuleNumber = (typeof RULE_NUMBERS)[number];
