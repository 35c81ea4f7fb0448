/** The revisions of Ethereum, oldest first. Each revision has the rules of the previous revision plus its changes, by EIP. */
import { factorAtByzantium, factorAtFrontier, factorAtHomestead } from '../difficulty.ts';
import { createBlake2f } from '../precompiles/blake2f.ts';
import { createBls12381Precompiles } from '../precompiles/bls12-381.ts';
import { createBn254Add, createBn254Multiply, createBn254Pairing } from '../precompiles/bn254.ts';
import { createEcrecover } from '../precompiles/ecrecover.ts';
import { createRipemd160, createSha256, IDENTITY } from '../precompiles/hashes.ts';
import { createModexp } from '../precompiles/modexp.ts';
import { priceByEip198, priceByEip2565, priceByEip7883 } from '../precompiles/modexp-gas.ts';
import { createP256Verify } from '../precompiles/p256.ts';
import { createPointEvaluation } from '../precompiles/point-evaluation.ts';
import type { Precompile } from '../precompiles/precompile.ts';
import {
  beginRules,
  extendRules,
  type FirstRevision,
  type PrecompileRow,
  type RevisionChange,
  type RevisionRules,
} from './revision-rules.ts';
import {
  BEACON_ROOTS,
  BUILDER_DEPOSITS,
  BUILDER_EXITS,
  CONSOLIDATION_REQUESTS,
  HISTORY_STORAGE,
  WITHDRAWAL_REQUESTS,
} from './system-contracts.ts';

const ETHER = 10n ** 18n;

/** Names of BLS12-381's precompiles (EIP-2537), from address 0x0b on. */
const BLS12_381 = [
  'BLS12_G1ADD',
  'BLS12_G1MSM',
  'BLS12_G2ADD',
  'BLS12_G2MSM',
  'BLS12_PAIRING_CHECK',
  'BLS12_MAP_FP_TO_G1',
  'BLS12_MAP_FP2_TO_G2',
];

/** Names of the revisions, oldest first. */
export const REVISIONS = [
  'frontier',
  'homestead',
  'tangerineWhistle',
  'spuriousDragon',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
  'amsterdam',
] as const;

export type Revision = (typeof REVISIONS)[number];

const FRONTIER: FirstRevision = {
  opcodes:
    'STOP ADD MUL SUB DIV SDIV MOD SMOD ADDMOD MULMOD EXP SIGNEXTEND LT GT SLT SGT EQ ISZERO AND OR XOR NOT BYTE KECCAK256 ' +
    'ADDRESS BALANCE ORIGIN CALLER CALLVALUE CALLDATALOAD CALLDATASIZE CALLDATACOPY CODESIZE CODECOPY GASPRICE EXTCODESIZE ' +
    'EXTCODECOPY BLOCKHASH COINBASE TIMESTAMP NUMBER PREVRANDAO GASLIMIT POP MLOAD MSTORE MSTORE8 SLOAD SSTORE JUMP JUMPI PC ' +
    'MSIZE GAS JUMPDEST ' +
    `${family('PUSH', 1, 32)} ${family('DUP', 1, 16)} ${family('SWAP', 1, 16)} ${family('LOG', 0, 4)} ` +
    'CREATE CALL CALLCODE RETURN INVALID SELFDESTRUCT',
  switches: { EIP7610: true },
  precompiles: {
    1: { name: 'ECREC', create: createEcrecover },
    2: { name: 'SHA256', create: createSha256 },
    3: { name: 'RIPEMD160', create: createRipemd160 },
    4: { name: 'ID', create: () => IDENTITY },
  },
  transactionTypes: [0],
  intrinsic: {
    transaction: 21_000,
    creation: 0,
    creationFloor: 0,
    recipient: 0,
    value: 0,
    zeroByte: 4,
    nonZeroByte: 68,
    initCodeWord: 0,
    accessListAddress: 0,
    accessListKey: 0,
    accessListByte: 0,
    authorization: 0,
    existingAuthorityRefund: 0n,
    floorToken: 0,
    tokensPerZeroByte: 1,
    tokensPerNonZeroByte: 4,
  },
  expByteGas: 10n,
  storageAgainGas: 200n,
  storageResetGas: 5000n,
  storageClearRefund: 15_000n,
  coldAccountGas: 0n,
  warmAccountGas: 0n,
  accountWriteGas: 0n,
  callValueGas: 9000n,
  newAccountGas: 25_000n,
  codeByteGas: 200n,
  codeWordGas: 0n,
  stateGas: undefined,
  hasPrevRandao: false,
  refundQuotient: 2n,
  hasReceiptStatus: false,
  requiresLowS: false,
  hasBlobReserve: false,
  codeLimit: undefined,
  initCodeLimit: undefined,
  transactionGasCap: undefined,
  executionGasCap: undefined,
  blobsPerTransaction: undefined,
  blockSizeLimit: undefined,
  blockReward: 5n * ETHER,
  bombDelay: 0n,
  difficultyFactor: factorAtFrontier,
};

const LATER: Readonly<Record<Exclude<Revision, 'frontier'>, RevisionChange>> = {
  homestead: {
    opcodes: 'DELEGATECALL', // EIP-7
    switches: { EIP2: true },
    intrinsic: { creation: 32_000 },
    requiresLowS: true,
    difficultyFactor: factorAtHomestead,
  },
  tangerineWhistle: {
    gas: {
      EXTCODESIZE: 700,
      EXTCODECOPY: 700,
      BALANCE: 400,
      SLOAD: 200,
      CALL: 700,
      CALLCODE: 700,
      DELEGATECALL: 700,
      SELFDESTRUCT: 5000,
    },
    switches: { EIP150: true },
  },
  spuriousDragon: {
    switches: { EIP158: true },
    codeLimit: 24_576, // EIP-170
    expByteGas: 50n, // EIP-160
  },
  byzantium: {
    opcodes: 'RETURNDATASIZE RETURNDATACOPY STATICCALL REVERT', // EIP-211, 214, 140
    precompiles: {
      5: { name: 'MODEXP', create: () => createModexp(priceByEip198) },
      6: { name: 'BN254_ADD', create: (cryptography) => createBn254Add(cryptography, 500) },
      7: { name: 'BN254_MUL', create: (cryptography) => createBn254Multiply(cryptography, 40_000) },
      8: bn254Pairing(100_000, 80_000),
    },
    hasReceiptStatus: true, // EIP-658
    blockReward: 3n * ETHER, // EIP-649
    bombDelay: 3_000_000n,
    difficultyFactor: factorAtByzantium, // EIP-100
  },
  constantinople: {
    opcodes: 'SHL SHR SAR EXTCODEHASH CREATE2', // EIP-145, 1052, 1014
    switches: { NET_METERING: true }, // EIP-1283
    blockReward: 2n * ETHER, // EIP-1234
    bombDelay: 5_000_000n,
  },
  petersburg: {
    switches: { NET_METERING: false },
  },
  istanbul: {
    opcodes: 'CHAINID SELFBALANCE', // EIP-1344, 1884
    gas: { SLOAD: 800, BALANCE: 700, EXTCODEHASH: 700 }, // EIP-1884
    switches: { NET_METERING: true, EIP2200: true },
    storageAgainGas: 800n,
    precompiles: {
      // EIP-1108
      6: { name: 'BN254_ADD', create: (cryptography) => createBn254Add(cryptography, 150) },
      7: { name: 'BN254_MUL', create: (cryptography) => createBn254Multiply(cryptography, 6000) },
      8: bn254Pairing(45_000, 34_000),
      // EIP-152
      9: { name: 'BLAKE2F', create: createBlake2f },
    },
    intrinsic: { nonZeroByte: 16 }, // EIP-2028
  },
  berlin: {
    gas: {
      SLOAD: 100,
      BALANCE: 100,
      EXTCODESIZE: 100,
      EXTCODECOPY: 100,
      EXTCODEHASH: 100,
      CALL: 100,
      CALLCODE: 100,
      DELEGATECALL: 100,
      STATICCALL: 100,
    },
    switches: { EIP2929: true },
    storageAgainGas: 100n,
    storageResetGas: 2900n,
    coldAccountGas: 2600n,
    warmAccountGas: 100n,
    precompiles: { 5: { name: 'MODEXP', create: () => createModexp(priceByEip2565) } },
    transactionTypes: [1], // EIP-2930
    intrinsic: { accessListAddress: 2400, accessListKey: 1900 },
  },
  london: {
    opcodes: 'BASEFEE', // EIP-3198
    switches: { EIP3541: true, EIP3529: true },
    storageClearRefund: 4800n, // EIP-3529
    refundQuotient: 5n,
    transactionTypes: [2], // EIP-1559
    headerFields: ['baseFeePerGas'],
    bombDelay: 9_700_000n, // EIP-3554
  },
  paris: {
    hasPrevRandao: true, // EIP-4399
    blockReward: 0n, // EIP-3675
  },
  shanghai: {
    opcodes: 'PUSH0', // EIP-3855
    switches: { EIP3651: true },
    headerFields: ['withdrawalsRoot'], // EIP-4895
    initCodeLimit: 49_152, // EIP-3860
    intrinsic: { initCodeWord: 2 },
  },
  cancun: {
    opcodes: 'TLOAD TSTORE MCOPY BLOBHASH BLOBBASEFEE', // EIP-1153, 5656, 4844, 7516
    switches: { EIP6780: true },
    precompiles: { 10: { name: 'KZG_POINT_EVALUATION', create: createPointEvaluation } },
    transactionTypes: [3], // EIP-4844
    headerFields: ['blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot'],
    blockCalls: [{ contract: BEACON_ROOTS, input: 'parentBeaconBlockRoot' }], // EIP-4788
  },
  prague: {
    switches: { EIP7702: true },
    precompiles: Object.fromEntries(
      BLS12_381.map((name, i): [number, PrecompileRow] => [
        0x0b + i,
        { name, create: (cryptography) => createBls12381Precompiles(cryptography)[i] as Precompile },
      ]),
    ),
    transactionTypes: [4], // EIP-7702
    headerFields: ['requestsHash'], // EIP-7685
    blockCalls: [{ contract: HISTORY_STORAGE, input: 'parentHash' }], // EIP-2935
    requestQueues: [
      { type: 1, contract: WITHDRAWAL_REQUESTS, queue: 'withdrawal' }, // EIP-7002
      { type: 2, contract: CONSOLIDATION_REQUESTS, queue: 'consolidation' }, // EIP-7251
    ],
    intrinsic: { authorization: 25_000, existingAuthorityRefund: 12_500n, floorToken: 10 }, // EIP-7702, 7623
  },
  osaka: {
    opcodes: 'CLZ', // EIP-7939
    precompiles: {
      // EIP-7823: operands of at most 1,024 bytes
      5: { name: 'MODEXP', create: () => createModexp(priceByEip7883, 1024) },
      // EIP-7951
      256: { name: 'P256VERIFY', create: createP256Verify },
    },
    transactionGasCap: 16_777_216n, // EIP-7825
    blobsPerTransaction: 6, // EIP-7594
    blockSizeLimit: 8_388_608, // EIP-7934
    hasBlobReserve: true, // EIP-7918
  },
  amsterdam: {
    opcodes: 'SLOTNUM DUPN SWAPN EXCHANGE', // EIP-7843, 8024
    // EIP-8038: EXTCODESIZE and EXTCODECOPY access the database twice, since the code is a separate read.
    gas: { CREATE: 12_000, CREATE2: 12_000, EXTCODESIZE: 200, EXTCODECOPY: 200 },
    switches: { EIP7610: false, EIP7708: true, EIP8037: true, EIP8246: true },
    // EIP-8038
    storageClearRefund: 11_616n,
    coldAccountGas: 3000n,
    accountWriteGas: 9000n,
    callValueGas: 11_300n,
    newAccountGas: 0n,
    // EIP-8037
    codeByteGas: 0n,
    codeWordGas: 6n,
    stateGas: { perByte: 1530n, account: 183_600n, slot: 97_920n, delegation: 35_190n },
    executionGasCap: 16_777_216n,
    // EIP-8037 has no limit; this is geth's limit.
    transactionGasCap: 2n ** 32n - 1n,
    // EIP-7954
    codeLimit: 65_536,
    initCodeLimit: 131_072,
    headerFields: ['blockAccessListHash', 'slotNumber'], // EIP-7928, 7843
    requestQueues: [
      // EIP-8282
      { type: 3, contract: BUILDER_DEPOSITS, queue: 'builder deposit' },
      { type: 4, contract: BUILDER_EXITS, queue: 'builder exit' },
    ],
    intrinsic: {
      // EIP-2780
      transaction: 12_000,
      creation: 12_000,
      creationFloor: 12_000,
      recipient: 3000,
      value: 6000,
      // EIP-8038
      accessListAddress: 2900,
      accessListKey: 2000,
      // EIP-7976, 7981
      floorToken: 16,
      tokensPerZeroByte: 4,
      accessListByte: 64,
      // EIP-8037
      authorization: 7816,
      existingAuthorityRefund: 0n,
    },
  },
};

function family(name: string, from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, i) => `${name}${from + i}`).join(' ');
}

function bn254Pairing(base: number, perPair: number): PrecompileRow {
  return {
    name: 'BN254_PAIRING',
    create: (cryptography) => createBn254Pairing(cryptography, { base, perPair }),
  };
}

const RULES: Map<Revision, RevisionRules> = new Map();
let latest: RevisionRules = beginRules('frontier', FRONTIER);
for (const name of REVISIONS) {
  if (name !== 'frontier') latest = extendRules(latest, name, LATER[name]);
  RULES.set(name, latest);
}

/** Returns the rules of a revision, which are created once. */
export function rulesOf(revision: Revision): RevisionRules {
  return RULES.get(revision) as RevisionRules;
}

/** Returns the rules of the latest revision among active forks. A fork without new EVM rules is not a revision. */
export function latestRules(forks: readonly string[]): RevisionRules {
  return rulesOf(REVISIONS.findLast((name) => forks.includes(name)) ?? 'frontier');
}
