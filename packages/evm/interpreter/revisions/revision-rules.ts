/** Rules of a revision, and the changes of a revision relative to the previous one. */
import type { ForkField } from '../../../ethereum/codecs/header.ts';
import { bytesToBigInt } from '../../../ethereum/primitives/bytes.ts';
import { RULE_SWITCHES, type RuleSwitch } from '../core-interface.ts';
import type { DifficultyFactor } from '../difficulty.ts';
import { OPCODES, type Opcode } from '../opcodes.ts';
import type { Cryptography } from '../precompiles/cryptography.ts';
import type { Precompile } from '../precompiles/precompile.ts';

/** A precompile with its name in EIP-7910. */
export type PrecompileRow = {
  readonly name: string;
  readonly create: (cryptography: Cryptography) => Precompile;
};

/** A contract that the protocol calls, with its name in EIP-7910. */
export type SystemContract = { readonly name: string; readonly address: Uint8Array };

/** A system call before a block's transactions; its input is a header field. */
export type BlockCall = {
  readonly contract: SystemContract;
  readonly input: 'parentBeaconBlockRoot' | 'parentHash';
};

/** A system call after a block's transactions, which returns requests of one type (EIP-7685). */
export type RequestQueue = {
  readonly type: number;
  readonly contract: SystemContract;
  /** Name of the request queue in geth's error messages. */
  readonly queue: string;
};

/** Intrinsic gas prices of a transaction. */
export type IntrinsicPrices = {
  readonly transaction: number;
  readonly creation: number;
  /** Part of `creation` that the floor includes (EIP-2780). */
  readonly creationFloor: number;
  /** Charge for a recipient other than the sender, and for sending value to it (EIP-2780). Both charges are part of the floor gas. */
  readonly recipient: number;
  readonly value: number;
  readonly zeroByte: number;
  readonly nonZeroByte: number;
  readonly initCodeWord: number;
  readonly accessListAddress: number;
  readonly accessListKey: number;
  /** Additional charge per byte of the access list's addresses and keys; part of the floor (EIP-7981). */
  readonly accessListByte: number;
  readonly authorization: number;
  /** Part of `authorization` that is refunded when the authority's account existed. */
  readonly existingAuthorityRefund: bigint;
  /** Floor gas per token; 0: there is no floor. */
  readonly floorToken: number;
  readonly tokensPerZeroByte: number;
  readonly tokensPerNonZeroByte: number;
};

/** State gas prices of additions to the state (EIP-8037). */
export type StateGasPrices = {
  /** Per byte of code. */
  readonly perByte: bigint;
  readonly account: bigint;
  readonly slot: bigint;
  /** Per delegation (EIP-7702). */
  readonly delegation: bigint;
};

/** Rules that are single values, not lists. */
export type RuleValues = {
  /** Gas of EXP per byte of the exponent. */
  readonly expByteGas: bigint;
  /** Gas of SSTORE to a slot that the transaction already wrote; gas of SSTORE that changes a slot; refund for clearing a slot. */
  readonly storageAgainGas: bigint;
  readonly storageResetGas: bigint;
  readonly storageClearRefund: bigint;
  /** Gas of the first access to an account in a transaction, and of later accesses (EIP-2929, 8038). */
  readonly coldAccountGas: bigint;
  readonly warmAccountGas: bigint;
  /** Gas of the first write to an account in a transaction (EIP-8038); 0: no separate price. */
  readonly accountWriteGas: bigint;
  /** Gas of CALL and CALLCODE with value. */
  readonly callValueGas: bigint;
  /** Execution gas of CALL and SELFDESTRUCT that create an account, in addition to the price of the account's first write. */
  readonly newAccountGas: bigint;
  /** Execution gas per byte, and per word, of deployed code. */
  readonly codeByteGas: bigint;
  readonly codeWordGas: bigint;
  /** State gas prices; undefined in revisions without state gas. */
  readonly stateGas: StateGasPrices | undefined;
  /** Whether opcode 0x44 is PREVRANDAO instead of DIFFICULTY (EIP-4399). */
  readonly hasPrevRandao: boolean;
  /** Refunds are capped at used gas divided by this quotient. */
  readonly refundQuotient: bigint;
  /** Whether receipts have a status instead of a state root. */
  readonly hasReceiptStatus: boolean;
  /** Whether a signature's s must be in the lower half of its range (EIP-2). */
  readonly requiresLowS: boolean;
  /** Whether a reserve price keeps the blob price near the execution cost of a blob (EIP-7918). */
  readonly hasBlobReserve: boolean;
  /** Maximum size of code and of initialisation code, bytes. */
  readonly codeLimit: number | undefined;
  readonly initCodeLimit: number | undefined;
  /** Maximum gas limit of a transaction. */
  readonly transactionGasCap: bigint | undefined;
  /**
   * Maximum execution gas within the gas limit; the rest is the state gas reservoir. If undefined, the execution gas of a transaction is limited by
   * its gas limit only.
   */
  readonly executionGasCap: bigint | undefined;
  readonly blobsPerTransaction: number | undefined;
  /** Maximum size of an encoded block, bytes. */
  readonly blockSizeLimit: number | undefined;
  /** Reward of a proof-of-work block's beneficiary, wei. */
  readonly blockReward: bigint;
  /** Number of blocks by which the difficulty bomb is delayed. */
  readonly bombDelay: bigint;
  readonly difficultyFactor: DifficultyFactor;
};

/** Changes of a revision; lists contain its additions. */
export type RevisionChange = Partial<RuleValues> & {
  /** Names of added instructions, separated by spaces. An added instruction has the static gas of its row in `OPCODES`. */
  readonly opcodes?: string;
  /** New static gas of instructions. */
  readonly gas?: Readonly<Record<string, number>>;
  readonly switches?: Partial<Readonly<Record<RuleSwitch, boolean>>>;
  /** Added or replaced precompiles, by address. */
  readonly precompiles?: Readonly<Record<number, PrecompileRow>>;
  readonly transactionTypes?: readonly number[];
  readonly headerFields?: readonly ForkField[];
  readonly blockCalls?: readonly BlockCall[];
  readonly requestQueues?: readonly RequestQueue[];
  readonly intrinsic?: Partial<IntrinsicPrices>;
};

/** The first revision, which defines everything. */
export type FirstRevision = RevisionChange & RuleValues & { readonly intrinsic: IntrinsicPrices };

/** An instruction and its static gas in a revision. */
export type PricedOpcode = { readonly opcode: Opcode; readonly gas: number };

export type RevisionRules = RuleValues & {
  readonly name: string;
  /** Number of revisions before this one. */
  readonly number: number;
  readonly opcodes: readonly PricedOpcode[];
  /** One bit per rule switch, by its index in `RULE_SWITCHES`. */
  readonly switches: number;
  /** Precompiles by address, ascending. */
  readonly precompiles: ReadonlyMap<number, PrecompileRow>;
  readonly transactionTypes: ReadonlySet<number>;
  readonly headerFields: ReadonlySet<ForkField>;
  readonly blockCalls: readonly BlockCall[];
  readonly requestQueues: readonly RequestQueue[];
  readonly intrinsic: IntrinsicPrices;
  readonly hasBaseFee: boolean;
  readonly hasWithdrawals: boolean;
  readonly hasBlobs: boolean;
  readonly hasRequests: boolean;
  readonly hasBlockAccessList: boolean;
};

const OPCODES_BY_NAME: ReadonlyMap<string, Opcode> = new Map(OPCODES.map((opcode) => [opcode.name, opcode]));

/** Adds a revision's instructions to `base` and applies its price changes. @throws RangeError on inconsistent names */
function changeOpcodes(
  base: readonly PricedOpcode[],
  { opcodes, gas = {} }: RevisionChange,
): readonly PricedOpcode[] {
  const changed = new Map(base.map((one) => [one.opcode.name, one]));
  for (const name of opcodes?.split(' ') ?? []) {
    const opcode = OPCODES_BY_NAME.get(name);
    if (opcode === undefined || changed.has(name)) throw new RangeError(`cannot add the instruction ${name}`);
    changed.set(name, { opcode, gas: opcode.gas });
  }
  for (const [name, price] of Object.entries(gas)) {
    const priced = changed.get(name);
    if (priced === undefined) throw new RangeError(`no instruction ${name} to price`);
    changed.set(name, { opcode: priced.opcode, gas: price });
  }
  return [...changed.values()].sort((a, b) => a.opcode.code - b.opcode.code);
}

function changeSwitches(base: number, { switches = {} }: RevisionChange): number {
  return RULE_SWITCHES.reduce((bits, name, bit) => {
    const isOn = switches[name];
    return isOn === undefined ? bits : isOn ? bits | (1 << bit) : bits & ~(1 << bit);
  }, base);
}

function changePrecompiles(
  base: ReadonlyMap<number, PrecompileRow>,
  { precompiles = {} }: RevisionChange,
): ReadonlyMap<number, PrecompileRow> {
  const added = Object.entries(precompiles).map(([address, row]) => [Number(address), row] as const);
  return new Map([...new Map([...base, ...added])].sort(([a], [b]) => a - b));
}

/** Rules of a revision that result from the changes of this revision and all earlier ones. */
type Derived = Omit<RevisionRules, keyof RuleValues | 'intrinsic'>;

const NOTHING: Derived = {
  name: '',
  number: -1,
  opcodes: [],
  switches: 0,
  precompiles: new Map(),
  transactionTypes: new Set(),
  headerFields: new Set(),
  blockCalls: [],
  requestQueues: [],
  hasBaseFee: false,
  hasWithdrawals: false,
  hasBlobs: false,
  hasRequests: false,
  hasBlockAccessList: false,
};

function derive(base: Derived, name: string, change: RevisionChange): Derived {
  const headerFields = new Set([...base.headerFields, ...(change.headerFields ?? [])]);
  return {
    name,
    number: base.number + 1,
    opcodes: changeOpcodes(base.opcodes, change),
    switches: changeSwitches(base.switches, change),
    precompiles: changePrecompiles(base.precompiles, change),
    transactionTypes: new Set([...base.transactionTypes, ...(change.transactionTypes ?? [])]),
    headerFields,
    blockCalls: [...base.blockCalls, ...(change.blockCalls ?? [])],
    requestQueues: [...base.requestQueues, ...(change.requestQueues ?? [])],
    hasBaseFee: headerFields.has('baseFeePerGas'),
    hasWithdrawals: headerFields.has('withdrawalsRoot'),
    hasBlobs: headerFields.has('excessBlobGas'),
    hasRequests: headerFields.has('requestsHash'),
    hasBlockAccessList: headerFields.has('blockAccessListHash'),
  };
}

/** Returns the rules of the first revision. */
export function beginRules(name: string, first: FirstRevision): RevisionRules {
  return { ...first, ...derive(NOTHING, name, first) };
}

/** Returns the rules of a revision that follows `base`. */
export function extendRules(base: RevisionRules, name: string, change: RevisionChange): RevisionRules {
  const intrinsic = { ...base.intrinsic, ...change.intrinsic };
  return { ...base, ...change, ...derive(base, name, change), intrinsic };
}

/** Whether a revision has a precompile at an address. */
export function hasPrecompile({ precompiles }: RevisionRules, address: Uint8Array): boolean {
  const number = bytesToBigInt(address);
  return number <= Number.MAX_SAFE_INTEGER && precompiles.has(Number(number));
}
