import { assemble } from '../assembler.ts';
import { SELFDESTRUCTOR_INIT_CODE } from '../contracts/selfdestructor.ts';
import { ALICE, BOB, CAROL, DAVE, ERIN } from './accounts.ts';
import {
  approveToken,
  call,
  callReverter,
  create,
  createLog,
  deployHelpersAndSpreadTokens,
  deployTokenAndReverter,
  ETHER,
  listTokenBalances,
  TOKEN,
  transfer,
  transferToken,
  transferTokenFrom,
} from './actions.ts';
import { FACTORY, SALT, SALTED_CHILD } from './addresses.ts';
import type { BlockPlan } from './chain-builder.ts';
import { OTHER_UNCLE_MINER, UNCLE_MINER } from './devnet-frontier.ts';
import { encodeCall } from './encode-call.ts';
import type { TransactionPlan } from './transaction-plan.ts';

/** Functions of the reverter, each with a different kind of failure. */
const FAILURES: readonly string[] = [
  'revertString()',
  'panicAssert()',
  'panicOverflow()',
  'panicDivision()',
  'revertCustom()',
  'revertEmpty()',
  'revertRaw()',
  'revertNested()',
  'invalidOpcode()',
  'loopForever()',
  'badJump()',
  'stackUnderflow()',
  'stackOverflow()',
  'hugeMemory()',
  'returnDataOutOfBounds()',
  'writeInStaticCall()',
];

const createSalted = (): TransactionPlan => ({
  ...call(ALICE, FACTORY, encodeCall('create2(bytes32,bytes)', SALT, { bytes: SELFDESTRUCTOR_INIT_CODE })),
  gasLimit: 600_000n,
  value: ETHER,
});

/** Blocks 15 to 33: Byzantium to Gray Glacier, the end of proof of work. Receipts have a status. */
export const BYZANTIUM_BLOCKS: readonly BlockPlan[] = [
  { shows: 'Byzantium: the ERC-20 and the reverter are created', transactions: deployTokenAndReverter() },
  {
    shows: 'callenv and the delegate are created, ERC-20 transfers; two uncles of depths 2 and 4',
    transactions: deployHelpersAndSpreadTokens(),
    uncles: [
      { depth: 2n, beneficiary: UNCLE_MINER },
      { depth: 4n, beneficiary: UNCLE_MINER },
    ],
  },
  {
    shows: 'ERC-20 approve, transferFrom, and transfers that fail',
    transactions: [
      approveToken(ALICE, BOB.address, 100n * TOKEN),
      transferTokenFrom(BOB, ALICE.address, CAROL.address, 60n * TOKEN),
      { ...transferTokenFrom(BOB, ALICE.address, CAROL.address, 60n * TOKEN), fails: true },
      { ...transferToken(DAVE, ALICE.address, TOKEN), fails: true },
    ],
  },
  {
    shows: 'Constantinople: a contract is created at a chosen address (CREATE2)',
    transactions: [createSalted()],
  },
  {
    shows: 'a failed transaction for every way to fail',
    transactions: FAILURES.map((signature) => ({ ...callReverter(CAROL, signature), fails: true })),
  },
  { shows: 'an uncle of depth 1, no transactions', uncles: [{ depth: 1n, beneficiary: OTHER_UNCLE_MINER }] },
  {
    shows: 'Petersburg: the contract with the chosen address destroys itself',
    transactions: [
      callReverter(BOB, 'write(uint256)', 5n),
      call(ALICE, SALTED_CHILD, encodeCall('destroy(address)', ALICE.address)),
    ],
  },
  { shows: 'CREATE2 once more at the address that is free again', transactions: [createSalted()] },
  {
    shows: 'a creation that reverts with data',
    transactions: [
      { ...create(DAVE, assemble('0xc0ffee 0 MSTORE 3 29 REVERT')), gasLimit: 100_000n, fails: true },
      transfer(ERIN, DAVE.address, ETHER),
    ],
  },
  {
    shows: 'Istanbul: CHAINID and SELFBALANCE in a log; storage set to zero for a refund (EIP-2200)',
    transactions: [
      createLog(BOB, 2, 'CHAINID 0 MSTORE SELFBALANCE 32 MSTORE'),
      callReverter(BOB, 'write(uint256)', 0n),
    ],
  },
  {
    shows: 'Muir Glacier: an ERC-20 transfer',
    transactions: [transferToken(CAROL, DAVE.address, 25n * TOKEN)],
  },
  {
    shows: 'two uncles of the same height',
    transactions: [transfer(ALICE, CAROL.address, 8n)],
    uncles: [
      { depth: 1n, beneficiary: UNCLE_MINER },
      { depth: 1n, beneficiary: OTHER_UNCLE_MINER },
    ],
  },
  {
    shows: 'Berlin: type 1 transactions, with access list (EIP-2930)',
    transactions: [
      {
        ...transferToken(BOB, ALICE.address, 4n * TOKEN),
        type: 1,
        accessList: listTokenBalances(BOB, ALICE),
      },
      { ...transfer(ALICE, BOB.address, 2n), type: 1 },
    ],
  },
  {
    shows: 'a type 1 creation next to legacy transactions',
    transactions: [
      { ...createLog(CAROL, 1, '28 0 MSTORE'), type: 1 },
      transfer(CAROL, BOB.address, 1n),
      { ...transfer(CAROL, BOB.address, 1n), isUnprotected: true },
    ],
  },
  {
    shows: 'a transaction that burns 200,000 gas',
    transactions: [{ ...callReverter(ERIN, 'burn(uint256)', 200_000n), gasLimit: 300_000n }],
  },
  {
    shows: 'London: base fee, type 2 transactions (EIP-1559), BASEFEE in a log, code 0xef refused (EIP-3541)',
    transactions: [
      { ...transfer(ALICE, BOB.address, ETHER), type: 2 },
      { ...transferToken(BOB, CAROL.address, TOKEN), type: 2, accessList: listTokenBalances(BOB, CAROL) },
      createLog(CAROL, 1, 'BASEFEE 0 MSTORE'),
      { ...create(DAVE, assemble('0xef 0 MSTORE8 1 0 RETURN')), type: 2, gasLimit: 100_000n, fails: true },
    ],
  },
  {
    shows: 'Arrow Glacier: types 0, 1 and 2 side by side; a tip capped by the fee',
    transactions: [
      transfer(ALICE, BOB.address, 1n),
      { ...transfer(ALICE, BOB.address, 1n), type: 1 },
      { ...transfer(ALICE, BOB.address, 1n), type: 2, maxFeePerGas: 900_000_000n },
    ],
  },
  {
    shows: 'Gray Glacier: an uncle with a base fee',
    transactions: [{ ...approveToken(CAROL, ALICE.address, 2n ** 256n - 1n), type: 2 }],
    uncles: [{ depth: 1n, beneficiary: UNCLE_MINER }],
  },
  {
    shows: 'the last proof-of-work block; two uncles of depths 1 and 3',
    transactions: [{ ...transferTokenFrom(ALICE, CAROL.address, ALICE.address, TOKEN), type: 2 }],
    uncles: [
      { depth: 1n, beneficiary: OTHER_UNCLE_MINER },
      { depth: 3n, beneficiary: UNCLE_MINER },
    ],
  },
];
