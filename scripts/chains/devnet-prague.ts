import { bigIntToFixedBytes, concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { DEPOSIT_SIGNATURE } from '../contracts/deposit.ts';
import {
  CONSOLIDATION_REQUESTS_ADDRESS,
  HISTORY_ADDRESS,
  WITHDRAWAL_REQUESTS_ADDRESS,
} from '../contracts/system-contracts.ts';
import { type Account, ALICE, BOB, CAROL, DAVE, ERIN, hashLabel } from './accounts.ts';
import {
  call,
  callReverter,
  createLog,
  ETHER,
  listTokenBalances,
  TOKEN,
  transfer,
  transferToken,
} from './actions.ts';
import { DELEGATE, ERC20, LOGGER } from './addresses.ts';
import type { BlockPlan } from './chain-builder.ts';
import { DEPOSIT_CONTRACT } from './devnet-genesis.ts';
import { carryBlobs, WITHDRAWAL_RECIPIENT } from './devnet-paris.ts';
import { encodeCall, encodeWord } from './encode-call.ts';
import type { AuthorizationPlan, TransactionPlan } from './transaction-plan.ts';

/** Delegation to this address revokes a delegation (EIP-7702). */
export const ZERO_ADDRESS: Uint8Array = new Uint8Array(20);
const ANY_CHAIN = 0n;
/** Fee of an execution layer request while few are queued, wei. */
const REQUEST_FEE = 1n;

/** Returns bytes in place of a validator's key or signature; they are not a valid one. */
export function fakeBytes(label: string, length: number): Uint8Array {
  return concatBytes(hashLabel(label), hashLabel(`${label} 2`), hashLabel(`${label} 3`)).slice(0, length);
}

export function setCode(
  from: Account,
  to: Uint8Array,
  ...authorizations: AuthorizationPlan[]
): TransactionPlan {
  return { from, to, type: 4, authorizations, gasLimit: 200_000n };
}

const executeAs = (account: Account, to: Uint8Array, data: Uint8Array): TransactionPlan => ({
  ...call(account, account.address, encodeCall('execute(address,uint256,bytes)', to, 0n, { bytes: data })),
  type: 2,
});

const requestWithdrawal: TransactionPlan = {
  ...call(
    BOB,
    WITHDRAWAL_REQUESTS_ADDRESS,
    concatBytes(fakeBytes('validator 1', 48), bigIntToFixedBytes(1_000_000_000n, 8)),
  ),
  type: 2,
  value: REQUEST_FEE,
  gasLimit: 200_000n,
};

const requestConsolidation: TransactionPlan = {
  ...call(
    CAROL,
    CONSOLIDATION_REQUESTS_ADDRESS,
    concatBytes(fakeBytes('validator 1', 48), fakeBytes('validator 2', 48)),
  ),
  type: 2,
  value: REQUEST_FEE,
  gasLimit: 200_000n,
};

const deposit: TransactionPlan = {
  ...call(
    ALICE,
    DEPOSIT_CONTRACT,
    encodeCall(
      DEPOSIT_SIGNATURE,
      { bytes: fakeBytes('validator 1', 48) },
      { bytes: concatBytes(Uint8Array.of(1), new Uint8Array(11), ALICE.address) },
      { bytes: fakeBytes('deposit signature', 96) },
      hashLabel('deposit root'),
    ),
  ),
  type: 2,
  value: 32n * ETHER,
};

const ping = (from: Account): TransactionPlan => ({ ...transfer(from, BOB.address, 1n), type: 2 });

/** Blocks 47 to 61: Prague, Osaka, and the blob-only forks BPO1 and BPO2. */
export const PRAGUE_BLOCKS: readonly BlockPlan[] = [
  {
    shows: "Prague: a type 4 transaction (EIP-7702), sent by another account, sets dave's code",
    transactions: [setCode(ALICE, BOB.address, { authority: DAVE, address: DELEGATE })],
  },
  {
    shows:
      "dave's account runs the code it delegated to; authorizations with a wrong nonce and chain are passed over",
    transactions: [
      executeAs(DAVE, ERC20, encodeCall('transfer(address,uint256)', ALICE.address, TOKEN)),
      setCode(
        ALICE,
        CAROL.address,
        { authority: ERIN, address: DELEGATE, nonce: 1_000n },
        { authority: ERIN, address: DELEGATE, chainId: 1n },
      ),
    ],
  },
  {
    shows: 'dave takes the delegation back in a transaction of his own; erin delegates on any chain',
    transactions: [
      setCode(
        DAVE,
        DAVE.address,
        { authority: DAVE, address: ZERO_ADDRESS },
        { authority: ERIN, address: DELEGATE, chainId: ANY_CHAIN },
      ),
    ],
  },
  {
    shows:
      'requests of the execution layer: deposit (EIP-6110), withdrawal (EIP-7002), consolidation (EIP-7251)',
    transactions: [deposit, requestWithdrawal, requestConsolidation],
    withdrawals: [{ validatorIndex: 10n, address: WITHDRAWAL_RECIPIENT, amount: 64_000n }],
  },
  {
    shows: 'EIP-2935: the hash of block 48 is asked for; calldata at its floor price (EIP-7623)',
    transactions: [
      { ...call(BOB, HISTORY_ADDRESS, encodeWord(48n)), type: 2 },
      { ...transfer(CAROL, BOB.address, 0n), type: 2, data: fakeBytes('floor', 96), gasLimit: 60_000n },
    ],
  },
  {
    shows: 'Osaka: CLZ in a log (EIP-7939); six blobs, the most of one transaction (EIP-7594)',
    transactions: [
      { ...createLog(ALICE, 1, '1 CLZ 0 MSTORE'), type: 2 },
      carryBlobs(transfer(BOB, ALICE.address, 0n), 'osaka', 6),
    ],
  },
  {
    shows: 'a delegated account receives ether, and the code of another is called through it',
    transactions: [
      { ...transfer(ALICE, ERIN.address, 1n), type: 2, gasLimit: 60_000n },
      executeAs(ERIN, LOGGER, encodeCall('log1(uint256,bytes32)', 53n, hashLabel('topic a'))),
    ],
  },
  {
    shows: 'nine blobs, the most of an Osaka block',
    transactions: [
      carryBlobs(transfer(ALICE, BOB.address, 0n), 'nine a', 6),
      carryBlobs(transfer(BOB, ALICE.address, 0n), 'nine b', 3),
    ],
  },
  {
    shows: 'BPO1: fifteen blobs in one block',
    transactions: [6, 6, 3].map((count, i) =>
      carryBlobs(transfer(CAROL, BOB.address, BigInt(i)), `fifteen ${i}`, count),
    ),
  },
  { shows: 'nothing: an empty block, blobs get cheaper' },
  {
    shows: 'the gas that is left decides',
    transactions: [
      { ...callReverter(BOB, 'needGasLeft()'), type: 2, gasLimit: 700_000n },
      { ...callReverter(BOB, 'needGasLeft()'), type: 2, fails: true },
    ],
  },
  {
    shows: 'BPO2: twenty-one blobs in one block',
    transactions: [6, 6, 6, 3].map((count, i) =>
      carryBlobs(transfer(ALICE, BOB.address, BigInt(i)), `twenty-one ${i}`, count),
    ),
  },
  {
    shows: 'withdrawals, and a transaction of every type',
    transactions: [
      transfer(ALICE, BOB.address, 1n),
      {
        ...transfer(ALICE, BOB.address, 1n),
        type: 1,
        accessList: listTokenBalances(ALICE),
        gasLimit: 40_000n,
      },
      ping(ALICE),
      carryBlobs(transfer(ALICE, BOB.address, 1n), 'every type', 2),
      setCode(
        ALICE,
        BOB.address,
        { authority: ERIN, address: DELEGATE },
        { authority: BOB, address: ZERO_ADDRESS },
      ),
    ],
    withdrawals: [{ validatorIndex: 11n, address: ALICE.address, amount: 15_500_000n }],
  },
  { shows: 'one plain transfer', transactions: [ping(CAROL)] },
  {
    shows: 'an ERC-20 transfer, one that fails, a plain transfer, a blob',
    transactions: [
      {
        ...transferToken(ALICE, BOB.address, 5n * TOKEN),
        type: 2,
        accessList: listTokenBalances(ALICE, BOB),
      },
      { ...transferToken(CAROL, BOB.address, 1_000_000n * TOKEN), type: 2, fails: true },
      transfer(BOB, ALICE.address, ETHER / 100n),
      carryBlobs(transfer(ERIN, ALICE.address, 0n), 'head', 1),
    ],
    withdrawals: [{ validatorIndex: 12n, address: WITHDRAWAL_RECIPIENT, amount: 16_000n }],
  },
];
