import { concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { assemble } from '../assembler.ts';
import { BEACON_ROOTS_ADDRESS } from '../contracts/system-contracts.ts';
import { ALICE, BOB, CAROL, DAVE, ERIN, hashLabel, labelAddress } from './accounts.ts';
import {
  approveToken,
  call,
  callReverter,
  create,
  createLog,
  ETHER,
  listTokenBalances,
  TOKEN,
  transfer,
  transferToken,
} from './actions.ts';
import { FACTORY, SALTED_CHILD } from './addresses.ts';
import type { BlockPlan } from './chain-builder.ts';
import { timestampOf } from './devnet-genesis.ts';
import { encodeCall, encodeWord } from './encode-call.ts';
import type { TransactionPlan } from './transaction-plan.ts';

/** Recipient of some withdrawals: an account that no transaction ever touched. */
export const WITHDRAWAL_RECIPIENT: Uint8Array = labelAddress('withdrawal recipient');
const GWEI_PER_ETHER = 1_000_000_000n;
const FULL_BLOCK_GAS = 14_500_000n;
const BLOB_HASH_VERSION = 1;

/** Makes a plan a type 3 transaction as blocks contain it: with the versioned hashes (EIP-4844), without the blobs. */
export function carryBlobs(plan: TransactionPlan, label: string, count: number): TransactionPlan {
  const blobVersionedHashes = Array.from({ length: count }, (_, i) =>
    concatBytes(Uint8Array.of(BLOB_HASH_VERSION), hashLabel(`blob ${label} ${i}`).slice(1)),
  );
  return { ...plan, type: 3, blobVersionedHashes };
}

/** Blocks 34 to 46: the merge, Shanghai and Cancun. */
export const PARIS_BLOCKS: readonly BlockPlan[] = [
  {
    shows: 'Paris: the first proof-of-stake block; PREVRANDAO in a log',
    transactions: [{ ...createLog(ALICE, 1, 'PREVRANDAO 0 MSTORE'), type: 2 }],
  },
  {
    shows: 'ERC-20 transfers of types 0, 1 and 2',
    transactions: [
      transferToken(ALICE, DAVE.address, 3n * TOKEN),
      { ...transferToken(ALICE, ERIN.address, 2n * TOKEN), type: 1, accessList: listTokenBalances(ALICE) },
      { ...transferToken(BOB, ERIN.address, TOKEN), type: 2, accessList: listTokenBalances(BOB, ERIN) },
    ],
  },
  {
    shows: 'a nearly full block: the next base fee is higher',
    transactions: [ALICE, BOB].map((from) => ({
      ...callReverter(from, 'invalidOpcode()'),
      type: 2,
      gasLimit: FULL_BLOCK_GAS,
      fails: true,
    })),
  },
  { shows: 'nothing: an empty block after a full one' },
  {
    shows: 'Shanghai: withdrawals (EIP-4895), one to a new account; PUSH0 in a creation',
    transactions: [{ ...createLog(BOB, 1, 'PUSH0 PUSH0 MSTORE'), type: 2 }],
    withdrawals: [
      { validatorIndex: 3n, address: WITHDRAWAL_RECIPIENT, amount: 32n * GWEI_PER_ETHER },
      { validatorIndex: 4n, address: ALICE.address, amount: 17_000_000n },
    ],
  },
  {
    shows: 'withdrawals only, one of them of 0',
    withdrawals: [5n, 6n, 7n, 8n].map((validatorIndex) => ({
      validatorIndex,
      address: ERIN.address,
      amount: (validatorIndex - 5n) * 1_000_000n,
    })),
  },
  {
    shows: 'init code above 48 words costs more (EIP-3860)',
    transactions: [{ ...create(CAROL, concatBytes(assemble('STOP'), new Uint8Array(2_000))), type: 2 }],
  },
  {
    shows: 'ERC-20 approve and a transfer to the zero address that fails',
    transactions: [
      { ...approveToken(DAVE, ALICE.address, 5n * TOKEN), type: 2 },
      { ...transferToken(DAVE, new Uint8Array(20), TOKEN), type: 2, fails: true },
    ],
  },
  {
    shows: 'Cancun: a type 3 transaction with one blob (EIP-4844), with a withdrawal',
    transactions: [carryBlobs(transfer(ALICE, BOB.address, 1n), 'cancun', 1)],
    withdrawals: [{ validatorIndex: 9n, address: WITHDRAWAL_RECIPIENT, amount: 1n }],
  },
  {
    shows: 'as many blobs as fit: 2 + 4; blob transactions with calldata and access list',
    transactions: [
      {
        ...carryBlobs(transferToken(BOB, ALICE.address, TOKEN), 'two', 2),
        accessList: listTokenBalances(BOB),
      },
      carryBlobs(transfer(CAROL, DAVE.address, 0n), 'four', 4),
    ],
  },
  {
    shows:
      "EIP-4788: the beacon root of the previous block's timestamp is asked for, and one that is not there",
    transactions: [
      { ...call(DAVE, BEACON_ROOTS_ADDRESS, encodeWord(timestampOf(43n))), type: 2 },
      { ...call(DAVE, BEACON_ROOTS_ADDRESS, encodeWord(1n)), type: 2, fails: true },
    ],
  },
  {
    shows: 'EIP-6780: SELFDESTRUCT moves ether only, but for a contract of the same transaction',
    transactions: [
      { ...call(ALICE, SALTED_CHILD, encodeCall('destroy(address)', BOB.address)), type: 2 },
      {
        ...call(BOB, FACTORY, encodeCall('create(bytes)', { bytes: assemble('CALLER SELFDESTRUCT') })),
        type: 2,
        value: ETHER / 10n,
      },
    ],
  },
  {
    shows: 'TSTORE and MCOPY (EIP-1153, EIP-5656) in a creation',
    transactions: [{ ...createLog(CAROL, 2, '7 1 TSTORE 1 TLOAD 0 MSTORE 32 0 32 MCOPY'), type: 2 }],
  },
];
