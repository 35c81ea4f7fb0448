import { assemble } from '../assembler.ts';
import { FACTORY_INIT_CODE } from '../contracts/factory.ts';
import { LOGGER_INIT_CODE } from '../contracts/logger.ts';
import { SELFDESTRUCTOR_INIT_CODE } from '../contracts/selfdestructor.ts';
import { type Account, ALICE, BOB, CAROL, DAVE, ERIN, hashLabel, labelAddress, PIONEER } from './accounts.ts';
import { call, create, ETHER, transfer } from './actions.ts';
import { FACTORY, FIRST_CHILD, LOGGER } from './addresses.ts';
import type { BlockPlan } from './chain-builder.ts';
import { encodeCall } from './encode-call.ts';
import type { TransactionPlan } from './transaction-plan.ts';

export const UNCLE_MINER: Uint8Array = labelAddress('uncle miner');
export const OTHER_UNCLE_MINER: Uint8Array = labelAddress('other uncle miner');

const TOPICS: readonly Uint8Array[] = ['a', 'b', 'c', 'd'].map((name) => hashLabel(`topic ${name}`));

/** Plans a transaction that logs `value` with this many topics; `all`: five logs, with 0 to 4 topics. */
function log(from: Account, topics: number | 'all', value: bigint): TransactionPlan {
  const count = topics === 'all' ? TOPICS.length : topics;
  const signature = `log${topics === 'all' ? 'All' : topics}(uint256${',bytes32'.repeat(count)})`;
  return call(from, LOGGER, encodeCall(signature, value, ...TOPICS.slice(0, count)));
}

const createChild = (from: Account, initCode: Uint8Array, value: bigint): TransactionPlan => ({
  ...call(from, FACTORY, encodeCall('create(bytes)', { bytes: initCode })),
  gasLimit: 600_000n,
  value,
});

/** Blocks 1 to 14: Frontier to Spurious Dragon. Receipts have a state root, and most transactions no chain id. */
export const FRONTIER_BLOCKS: readonly BlockPlan[] = [
  {
    shows: 'Frontier: transfers, and the logger is created',
    transactions: [
      transfer(ALICE, BOB.address, 3n * ETHER),
      create(PIONEER, LOGGER_INIT_CODE),
      transfer(BOB, labelAddress('new account'), ETHER / 2n),
    ],
  },
  {
    shows: 'logs with 0 to 4 topics, the factory is created, a creation that fails; an uncle of depth 1',
    transactions: [
      ...[0, 1, 2, 3, 4].map((topics) => log(ALICE, topics, BigInt(topics) * 1000n)),
      create(PIONEER, FACTORY_INIT_CODE),
      { ...create(BOB, assemble('INVALID')), gasLimit: 100_000n },
    ],
    uncles: [{ depth: 1n, beneficiary: UNCLE_MINER }],
  },
  {
    shows: 'Homestead: a creation without gas left to store its code fails as a whole',
    transactions: [
      { ...create(CAROL, assemble('0x400 0 RETURN')), gasLimit: 60_000n },
      transfer(DAVE, ERIN.address, 1n),
    ],
  },
  {
    shows: 'a contract creates a contract (CREATE) with ether; two uncles of depths 1 and 2',
    transactions: [createChild(ALICE, SELFDESTRUCTOR_INIT_CODE, ETHER)],
    uncles: [
      { depth: 1n, beneficiary: UNCLE_MINER },
      { depth: 2n, beneficiary: UNCLE_MINER },
    ],
  },
  {
    shows: 'the created contract destroys itself (SELFDESTRUCT)',
    transactions: [
      call(BOB, FIRST_CHILD, encodeCall('write(uint256)', 7n)),
      call(BOB, FIRST_CHILD, encodeCall('destroy(address)', CAROL.address)),
    ],
  },
  {
    shows:
      'the DAO fork: ether moves without a transaction; ten blocks with extra data `dao-hard-fork` begin',
    transactions: [transfer(CAROL, ALICE.address, ETHER)],
  },
  {
    shows: 'five logs of one transaction; an uncle of depth 3',
    transactions: [log(BOB, 'all', 42n)],
    uncles: [{ depth: 3n, beneficiary: OTHER_UNCLE_MINER }],
  },
  { shows: 'nothing: an empty block' },
  {
    shows: 'Tangerine Whistle: a creation inside a transaction fails and the transaction does not',
    transactions: [createChild(CAROL, assemble('INVALID'), 0n), transfer(ALICE, DAVE.address, ETHER)],
  },
  {
    shows: 'two uncles of depths 1 and 5',
    transactions: [transfer(ERIN, BOB.address, 5n)],
    uncles: [
      { depth: 1n, beneficiary: UNCLE_MINER },
      { depth: 5n, beneficiary: OTHER_UNCLE_MINER },
    ],
  },
  { shows: 'a log that runs out of gas', transactions: [{ ...log(DAVE, 'all', 1n), gasLimit: 31_000n }] },
  {
    shows: 'Spurious Dragon: a transaction with chain id (EIP-155), one without; an empty account stays away',
    transactions: [
      transfer(ALICE, BOB.address, ETHER),
      { ...transfer(ALICE, BOB.address, ETHER), isUnprotected: true },
      transfer(CAROL, labelAddress('empty account'), 0n),
    ],
  },
  {
    shows: 'an uncle of depth 6, the oldest that counts',
    transactions: [log(ERIN, 2, 13n)],
    uncles: [{ depth: 6n, beneficiary: UNCLE_MINER }],
  },
  {
    shows: 'transfers between four accounts',
    transactions: [
      transfer(ALICE, BOB.address, 1n),
      transfer(BOB, CAROL.address, 2n),
      transfer(CAROL, DAVE.address, 3n),
    ],
  },
];
