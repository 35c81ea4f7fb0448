/**
 * What host and core have in common: plain data, from which the build writes the core's constants (core/generated, named alike in
 * upper case). The host imports it.
 */

const KiB = 1 << 10;
const MiB = 1 << 20;

/** Sizes and bounds that both sides count with. */
export const CORE_LIMITS = {
  /** Frames below the first one (EIP-150's call depth). */
  maxDepth: 1024,
  /** Bytes of a frame's record. */
  frameSize: 256,
  /** Words of one frame's stack. */
  stackLimit: 1024,
  /** Places of the open-addressing tables of 32-bit pointers to entries: powers of two. */
  accountIndexSize: 262_144,
  slotIndexSize: 4_194_304,
  codeIndexSize: 65_536,
  /** Places for hashes of 64 bytes: 2 to the power of this. */
  pairHashesBits: 11,
  maxBlobHashes: 1024,
  /** Bytes behind a region that stay free, so that reading a whole word at its end stays inside. */
  slack: 64,
  /** The precompile at 0x100 (EIP-7951) has this number, the others have their address. */
  p256Number: 18,
  p256Address: 0x100,
} as const;

/**
 * Regions of linear memory, one behind the other unless `at` says where. They never move; untouched pages cost nothing. Words are
 * 32 bytes, four little-endian 64-bit limbs, lowest first; addresses are words too (their upper 12 bytes are zero).
 */
const REGIONS: readonly { readonly name: string; readonly size: number; readonly at?: number }[] = [
  // What host and core tell each other: `EXCHANGE_LAYOUT`.
  { name: 'exchange', size: 64 * KiB, at: MiB },
  // Frames of the call stack: `maxDepth` and the top one.
  { name: 'frames', size: 512 * KiB },
  // Facts of the revision's instructions, by opcode: `OPCODE_FACT`.
  { name: 'opcodes', size: 64 * KiB },
  // Hashes of 64 bytes, 96 bytes each: core/pair-hashes.
  { name: 'pairHashes', size: 96 << CORE_LIMITS.pairHashesBits },
  { name: 'accountIndex', size: 4 * CORE_LIMITS.accountIndexSize, at: 2 * MiB },
  { name: 'slotIndex', size: 4 * CORE_LIMITS.slotIndexSize },
  { name: 'codeIndex', size: 4 * CORE_LIMITS.codeIndexSize },
  // The entries; at most half of an index's places are taken. A transaction of 200 million gas finds room for all slots
  // (TSTORE: 100 gas each) and undo steps that it can pay for.
  { name: 'accounts', size: 24 * MiB, at: 20 * MiB },
  { name: 'slots', size: 256 * MiB },
  { name: 'codes', size: 64 * MiB },
  // One stack under the other: a frame's begins where its caller's ends.
  { name: 'stacks', size: 34 * MiB },
  // Undo steps of the running transaction.
  { name: 'journal', size: 128 * MiB },
  // Logs of the running transaction: `LOG_FIELD`.
  { name: 'logs', size: 32 * MiB },
  // Pointers to accounts and slots that differ from the state below, and to accounts that a transaction touched.
  { name: 'dirty', size: 4 * MiB },
  { name: 'touched', size: 4 * MiB },
  // Return data of the last call.
  { name: 'returnData', size: 32 * MiB },
  // What one block still has, decoded instruction by instruction to find out which one fails.
  { name: 'exact', size: 2 * MiB },
  // Calls that run one after another: `CALL_ENTRY` each; the bytes that they are made of; their outputs, one behind the other.
  { name: 'callTable', size: 4 * KiB },
  { name: 'callBytes', size: 64 * KiB },
  { name: 'callOutputs', size: 64 * KiB },
  // Input of the message, then the frames' memories, one behind the other. It reaches to the end of linear memory.
  { name: 'arena', size: 0 },
];

/** Where regions begin and end. */
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

/** Where a region begins. */
export function startOf(region: string): number {
  const found = CORE_REGIONS.get(region);
  if (found === undefined) throw new RangeError(`no region ${region}`);
  return found.start;
}

/** Words of the exchange region, 32 bytes each, in their order. */
const WORDS = [
  'blockNumber',
  'blockTimestamp',
  'blockBeneficiary',
  'blockGasLimit',
  /** Difficulty, and since the merge prevRandao (EIP-4399). */
  'blockRandom',
  'blockBaseFee',
  'blockBlobBaseFee',
  'chainId',
  'origin',
  'gasPrice',
  'caller',
  'target',
  'value',
  /** What a run needs next, or arguments and results of single questions. */
  'requestAddress',
  'requestKey',
  /** Two words that the host hands in or reads: balance, storage value, code hash. */
  'wordA',
  'wordB',
  'blockSlot',
] as const;

const EXCHANGE = startOf('exchange');

/** Addresses of those words. */
export const EXCHANGE_WORDS: Readonly<Record<(typeof WORDS)[number], number>> = Object.fromEntries(
  WORDS.map((name, i) => [name, EXCHANGE + 32 * i]),
) as Record<(typeof WORDS)[number], number>;

/** Addresses of what else is in the exchange region. */
export const EXCHANGE_FIELDS: Readonly<
  Record<'blobCount' | 'ruleNumbers' | 'blockHashes' | 'blobHashes', number>
> = {
  /** Number of the transaction's blobs (4 bytes). */
  blobCount: EXCHANGE + 576,
  /** `RULE_NUMBERS`, 8 bytes each. */
  ruleNumbers: EXCHANGE + 584,
  /** The last 256 block hashes that were asked for: number + 1 (8), hash (32). */
  blockHashes: EXCHANGE + KiB,
  /** Hashes of the transaction's blobs (EIP-4844), 32 big-endian bytes each. */
  blobHashes: EXCHANGE + 16 * KiB,
};

/** Bytes of an opcode's facts, and where each one is: static gas (4), inputs (1), outputs (1), flags (1). */
export const OPCODE_FACT = { size: 8, gas: 0, inputs: 4, outputs: 5, flags: 6 } as const;
export const OPCODE_FLAG = {
  isDefined: 1,
  /** What follows is another block: it looks at gas, or leaves the block. */
  endsBlock: 2,
  /** Nothing behind it is executed but by a jump. */
  endsPath: 4,
} as const;

/** Fields of a slot's entry. */
export const SLOT_FIELD = { key: 0, value: 32 } as const;

/** Fields of a call in the table: places of sender, recipient and data, bytes of data and of output (4 each), gas (an f64). */
export const CALL_ENTRY = {
  from: 0,
  to: 4,
  data: 8,
  dataSize: 12,
  outputSize: 16,
  gas: 24,
  size: 32,
} as const;

/** Fields of a log: address (32, with number and kind in its upper bytes), counts (4 each), topics (32 each), data; aligned to 8. */
export const LOG_FIELD = { number: 24, isTransfer: 28, topicCount: 32, dataSize: 36, topics: 40 } as const;

/** What may be recorded beside execution, as bits. */
export const RECORD = { transfers: 1, accesses: 2, logNumbers: 4, blockAccesses: 8 } as const;

/** How frames end. From `outOfGas` on they take all gas of their frame. */
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
  // Refusals before the first instruction, which give all gas back to a caller that is a contract.
  insufficientBalance: 14,
  callDepth: 15,
  nonceOverflow: 16,
  precompileFailed: 17,
  // A limit of ours, not of the EVM: some region is full.
  memoryLimit: 18,
  gasOverflow: 19,
  // Out of gas as well, with what geth adds: the price of memory, or the gas for a callee before EIP-150, exceeds 64 bits.
  priceOverflow: 20,
  // What a call or SELFDESTRUCT costs beside its static gas was not there.
  outOfCallGas: 21,
  reentrancySentry: 22,
} as const;

/** Why a run returns. */
export const RUN = {
  /** The sender of a plain call is not known yet, or has no room: nothing was begun. */
  notBegun: -1,
  done: 0,
  /** The gas slice is used; nothing is needed. */
  sliceUsed: 1,
  needsAccount: 2,
  needsSlot: 3,
  needsCode: 4,
  needsBlockHash: 5,
  needsPrecompile: 6,
} as const;

/** What the core says of an account instead of its entry. */
export const ENTRY = {
  /** The region is full. */
  none: 0,
  /** It must be loaded first. */
  unknown: 1,
} as const;

/** Switches of the rules, in the order of their bits. */
export const RULE_SWITCHES = [
  /** A creation that cannot pay for its code fails. */
  'EIP2',
  /** A call hands over all but a 64th of the gas. */
  'EIP150',
  /** Empty accounts are none (EIP-158, 161). */
  'EIP158',
  /** Net gas metering of SSTORE: EIP-1283 or 2200. */
  'NET_METERING',
  /** No SSTORE with 2,300 gas or less. */
  'EIP2200',
  /** Cold and warm accounts and slots. */
  'EIP2929',
  /** No code beginning with 0xef. */
  'EIP3541',
  /** SELFDESTRUCT destroys only what the same transaction created. */
  'EIP6780',
  /** Delegations. */
  'EIP7702',
  /** Nothing comes back for SELFDESTRUCT. */
  'EIP3529',
  /** The beneficiary is warm from the beginning. */
  'EIP3651',
  /** No contract is created where storage lies. */
  'EIP7610',
  /** Transfers of value are logs. */
  'EIP7708',
  /** State gas, and the prices of EIP-8038. */
  'EIP8037',
  /** What is destroyed keeps its balance. */
  'EIP8246',
] as const;
export type RuleSwitch = (typeof RULE_SWITCHES)[number];

/** Numbers of the rules, 64 bits each, in their order. */
export const RULE_NUMBERS = [
  /** EXP, per byte of the exponent. */
  'expByteGas',
  /** SSTORE to a slot that this transaction wrote already; changing one; refund for clearing one. */
  'storageAgainGas',
  'storageResetGas',
  'storageClearRefund',
  /** Bytes that code, and initialisation code, may have. */
  'codeLimit',
  'initCodeLimit',
  /** CREATE and CREATE2, per word of initialisation code. */
  'initCodeWordGas',
  /** First access to an account in a transaction, further ones, and the first write to one. */
  'coldAccountGas',
  'warmAccountGas',
  'accountWriteGas',
  /** CALL and CALLCODE with value; CALL and SELFDESTRUCT that bring an account to life. */
  'callValueGas',
  'newAccountGas',
  /** Code that is stored: per byte, and per word. */
  'codeByteGas',
  'codeWordGas',
  /** State gas: of a byte of code, an account, a slot. */
  'stateByteGas',
  'stateAccountGas',
  'stateSlotGas',
] as const;
export type RuleNumber = (typeof RULE_NUMBERS)[number];
