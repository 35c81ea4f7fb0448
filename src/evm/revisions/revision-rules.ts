/** What the rules of a revision consist of, and how a revision changes those of the one before it. */
import { bytesToBigInt } from '../../primitives/bytes.ts';
import { RULE_SWITCHES, type RuleSwitch } from '../core-interface.ts';
import type { DifficultyFactor } from '../difficulty.ts';
import { OPCODES, type Opcode } from '../opcodes.ts';
import type { Cryptography } from '../precompiles/cryptography.ts';
import type { Precompile } from '../precompiles/precompile.ts';

/** Header fields that came with a revision. */
export type ForkField =
  | 'baseFeePerGas'
  | 'withdrawalsRoot'
  | 'blobGasUsed'
  | 'excessBlobGas'
  | 'parentBeaconBlockRoot'
  | 'requestsHash'
  | 'blockAccessListHash'
  | 'slotNumber';

/** A precompile under its name in EIP-7910. */
export type PrecompileRow = {
  readonly name: string;
  readonly create: (cryptography: Cryptography) => Precompile;
};

/** A contract that the protocol calls, under its name in EIP-7910. */
export type SystemContract = { readonly name: string; readonly address: Uint8Array };

/** A system call before a block's transactions: its input is a field of the header. */
export type BlockCall = {
  readonly contract: SystemContract;
  readonly input: 'parentBeaconBlockRoot' | 'parentHash';
};

/** A system call after them, which returns requests of one type (EIP-7685). */
export type RequestQueue = {
  readonly type: number;
  readonly contract: SystemContract;
  /** As geth's errors name it. */
  readonly queue: string;
};

/** What a transaction costs before its first instruction. Gas. */
export type IntrinsicPrices = {
  readonly transaction: number;
  readonly creation: number;
  /** Of `creation`, what the floor has as well (EIP-2780). */
  readonly creationFloor: number;
  /** A call of another account than the sender's, and value for it (EIP-2780). Both are part of the floor. */
  readonly recipient: number;
  readonly value: number;
  readonly zeroByte: number;
  readonly nonZeroByte: number;
  readonly initCodeWord: number;
  readonly accessListAddress: number;
  readonly accessListKey: number;
  /** Per byte of the access list's addresses and keys, on top of these; part of the floor (EIP-7981). */
  readonly accessListByte: number;
  readonly authorization: number;
  /** Of `authorization`, what comes back where the authority's account existed. */
  readonly existingAuthorityRefund: bigint;
  /** Of the floor: what a token costs. 0: there is no floor. */
  readonly floorToken: number;
  readonly tokensPerZeroByte: number;
  readonly tokensPerNonZeroByte: number;
};

/** What a transaction pays for what it adds to the state (EIP-8037). State gas. */
export type StateGasPrices = {
  /** Per byte of code. */
  readonly perByte: bigint;
  readonly account: bigint;
  readonly slot: bigint;
  /** A delegation (EIP-7702). */
  readonly delegation: bigint;
};

/** Rules that are one value each. */
export type RuleValues = {
  /** EXP, per byte of the exponent. */
  readonly expByteGas: bigint;
  /** SSTORE to a slot that this transaction wrote already; changing one; refund for clearing one. */
  readonly storageAgainGas: bigint;
  readonly storageResetGas: bigint;
  readonly storageClearRefund: bigint;
  /** First access to an account in a transaction, and further ones (EIP-2929, 8038). */
  readonly coldAccountGas: bigint;
  readonly warmAccountGas: bigint;
  /** First write to an account in a transaction (EIP-8038); 0: it has no price of its own. */
  readonly accountWriteGas: bigint;
  /** CALL and CALLCODE with value. */
  readonly callValueGas: bigint;
  /** CALL and SELFDESTRUCT that bring an account to life: execution gas beside what its first write costs. */
  readonly newAccountGas: bigint;
  /** Code that is stored: execution gas per byte, and per word. */
  readonly codeByteGas: bigint;
  readonly codeWordGas: bigint;
  /** Undefined: there is one kind of gas. */
  readonly stateGas: StateGasPrices | undefined;
  /** PREVRANDAO instead of DIFFICULTY. */
  readonly hasPrevRandao: boolean;
  /** Refunds give back at most this part of what was used: one in so many. */
  readonly refundQuotient: bigint;
  /** Receipts have a status instead of a state root. */
  readonly hasReceiptStatus: boolean;
  /** A signature's s is in the lower half of its range. */
  readonly requiresLowS: boolean;
  /** The price of blobs is kept near the execution cost of a blob. */
  readonly hasBlobReserve: boolean;
  /** Code, and initialisation code, that there may be: bytes. */
  readonly codeLimit: number | undefined;
  readonly initCodeLimit: number | undefined;
  /** Gas limit that a transaction may have. */
  readonly transactionGasCap: bigint | undefined;
  /** Of that limit, what may be execution gas; the rest is the reservoir of state gas. Undefined: all of it. */
  readonly executionGasCap: bigint | undefined;
  readonly blobsPerTransaction: number | undefined;
  /** Size of an encoded block, bytes. */
  readonly blockSizeLimit: number | undefined;
  /** Wei for the beneficiary of a proof-of-work block. */
  readonly blockReward: bigint;
  /** Blocks by which the difficulty bomb is set back. */
  readonly bombDelay: bigint;
  readonly difficultyFactor: DifficultyFactor;
};

/** What a revision changes. Lists are what it adds. */
export type RevisionChange = Partial<RuleValues> & {
  /** Names of instructions that it adds, separated by spaces. Their gas is that of their row. */
  readonly opcodes?: string;
  /** New static gas of instructions. */
  readonly gas?: Readonly<Record<string, number>>;
  readonly switches?: Partial<Readonly<Record<RuleSwitch, boolean>>>;
  /** By address: added, or replaced. */
  readonly precompiles?: Readonly<Record<number, PrecompileRow>>;
  readonly transactionTypes?: readonly number[];
  readonly headerFields?: readonly ForkField[];
  readonly blockCalls?: readonly BlockCall[];
  readonly requestQueues?: readonly RequestQueue[];
  readonly intrinsic?: Partial<IntrinsicPrices>;
};

/** The first revision: nothing is missing. */
export type FirstRevision = RevisionChange & RuleValues & { readonly intrinsic: IntrinsicPrices };

/** An instruction and its static gas in a revision. */
export type PricedOpcode = { readonly opcode: Opcode; readonly gas: number };

/** All rules of a revision. */
export type RevisionRules = RuleValues & {
  readonly name: string;
  /** How many revisions are before it. */
  readonly number: number;
  readonly opcodes: readonly PricedOpcode[];
  /** Bits by `RULE_SWITCHES`. */
  readonly switches: number;
  /** By address, ascending. */
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

/** The instructions of `base` with those that a revision adds, and the prices that it changes. */
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

/** What revisions do not list one by one. */
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

/** The rules of the first revision. */
export function beginRules(name: string, first: FirstRevision): RevisionRules {
  return { ...first, ...derive(NOTHING, name, first) };
}

/** The rules of a revision that follows `base`. */
export function extendRules(base: RevisionRules, name: string, change: RevisionChange): RevisionRules {
  const intrinsic = { ...base.intrinsic, ...change.intrinsic };
  return { ...base, ...change, ...derive(base, name, change), intrinsic };
}

/** Whether a revision has a precompile at an address. */
export function hasPrecompile({ precompiles }: RevisionRules, address: Uint8Array): boolean {
  const number = bytesToBigInt(address);
  return number <= Number.MAX_SAFE_INTEGER && precompiles.has(Number(number));
}
