import { bigIntToFixedBytes, concatBytes } from '../../packages/ethereum/primitives/bytes.ts';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { assemble, deployCode } from '../assembler.ts';
import { BUILDER_DEPOSITS, BUILDER_EXITS, CREATE2_FACTORY } from '../contracts/builder-contracts.ts';
import { LOGGER_RUNTIME } from '../contracts/logger.ts';
import { ALICE, BOB, CAROL, DAVE, ERIN, FRANK, GRACE, hashLabel, labelAddress } from './accounts.ts';
import {
  approveToken,
  call,
  create,
  createLog,
  ETHER,
  listTokenBalances,
  TOKEN,
  transfer,
  transferToken,
} from './actions.ts';
import { DELEGATE, FACTORY, SALT } from './addresses.ts';
import type { BlockPlan } from './chain-builder.ts';
import { carryBlobs, WITHDRAWAL_RECIPIENT } from './devnet-paris.ts';
import { fakeBytes, setCode, ZERO_ADDRESS } from './devnet-prague.ts';
import { encodeCall } from './encode-call.ts';
import type { TransactionPlan } from './transaction-plan.ts';

const NEWCOMER = labelAddress('amsterdam newcomer');
/** Gas of a transfer to a new account: 21,000 gas and 183,600 state gas. */
const NEW_ACCOUNT_GAS = 204_600n;
const GWEI_PER_ETHER = 1_000_000_000n;

const transferOf2 = (plan: TransactionPlan): TransactionPlan => ({ ...plan, type: 2 });

/** Deposit of a builder: 48 bytes of a key, 32 of credentials, 8 of an amount in gwei, 96 of a signature; value is the amount and a fee. */
const depositForBuilder: TransactionPlan = {
  ...call(
    BOB,
    hexToBytes(BUILDER_DEPOSITS.address),
    concatBytes(
      fakeBytes('builder 1', 48),
      hashLabel('builder credentials'),
      bigIntToFixedBytes(GWEI_PER_ETHER, 8),
      fakeBytes('builder signature', 96),
    ),
  ),
  type: 2,
  value: ETHER + 1n,
  gasLimit: 1_000_000n,
};

const exitBuilder: TransactionPlan = {
  ...call(CAROL, hexToBytes(BUILDER_EXITS.address), fakeBytes('builder 2', 48)),
  type: 2,
  value: 1n,
  gasLimit: 600_000n,
};

const createInFactory = (source: string): TransactionPlan => ({
  ...call(BOB, FACTORY, encodeCall('create(bytes)', { bytes: assemble(source) })),
  type: 2,
  value: ETHER / 10n,
  gasLimit: 500_000n,
});

const ONE_TO_TWENTY = Array.from({ length: 20 }, (_, i) => i + 1).join(' ');

/** Blocks 62 to 71: Amsterdam. */
export const AMSTERDAM_BLOCKS: readonly BlockPlan[] = [
  {
    shows:
      'Amsterdam: transfers log (EIP-7708), a new account is paid in state gas (EIP-8037), once in vain; transfers for 12,000 and 15,000 gas (EIP-2780)',
    transactions: [
      transferOf2(transfer(ALICE, BOB.address, 1n)),
      { ...transferOf2(transfer(ALICE, NEWCOMER, ETHER)), gasLimit: NEW_ACCOUNT_GAS },
      { ...transferOf2(transfer(BOB, BOB.address, 1n)), gasLimit: 12_000n },
      { ...transfer(CAROL, DAVE.address, 0n), gasLimit: 15_000n },
      {
        ...transferOf2(transfer(CAROL, labelAddress('amsterdam unpaid'), 1n)),
        gasLimit: 100_000n,
        fails: true,
      },
    ],
  },
  {
    shows:
      'creations: code is paid in state gas; one reverts, one has too much code (EIP-7954), one cannot pay for its code',
    transactions: [
      transferOf2(create(ALICE, deployCode(LOGGER_RUNTIME))),
      { ...transferOf2(create(BOB, assemble('0 0 REVERT'))), fails: true },
      { ...transferOf2(create(CAROL, assemble('65537 0 RETURN'))), fails: true },
      { ...transferOf2(create(DAVE, assemble('2000 0 RETURN'))), fails: true },
    ],
  },
  {
    shows: 'requests of builders: deposit and exit (EIP-8282); a withdrawal of 0',
    transactions: [depositForBuilder, exitBuilder],
    withdrawals: [
      { validatorIndex: 13n, address: labelAddress('amsterdam nothing'), amount: 0n },
      { validatorIndex: 14n, address: WITHDRAWAL_RECIPIENT, amount: 1_000_000n },
    ],
  },
  {
    shows:
      'SLOTNUM (EIP-7843); DUPN, SWAPN and EXCHANGE (EIP-8024), and DUPN with an invalid immediate; the CREATE2 factory (EIP-7997)',
    transactions: [
      transferOf2(createLog(ALICE, 1, 'SLOTNUM 0 MSTORE')),
      transferOf2(
        createLog(BOB, 1, `${ONE_TO_TWENTY} DUPN raw:0x80 SWAPN raw:0x80 EXCHANGE raw:0x9d 0 MSTORE`),
      ),
      { ...transferOf2(create(CAROL, assemble('DUPN raw:0x5b STOP'))), fails: true },
      {
        ...transferOf2(
          call(CAROL, hexToBytes(CREATE2_FACTORY.address), concatBytes(SALT, deployCode(assemble('STOP')))),
        ),
        gasLimit: 400_000n,
      },
    ],
  },
  {
    shows: 'slots: one is set for state gas, one is cleared, one is set and cleared in one transaction',
    transactions: [
      { ...transferOf2(transferToken(ALICE, NEWCOMER, TOKEN)), gasLimit: 200_000n },
      transferOf2(approveToken(DAVE, ALICE.address, 0n)),
      transferOf2(create(ERIN, assemble('1 0 SSTORE 0 0 SSTORE 1 1 SSTORE STOP'))),
    ],
  },
  {
    shows:
      'delegations (EIP-7702): of a new account, ended and set again in one transaction, one that cannot be paid for; a delegated account receives ether',
    transactions: [
      { ...setCode(ALICE, BOB.address, { authority: FRANK, address: DELEGATE }), gasLimit: 300_000n },
      setCode(
        BOB,
        CAROL.address,
        { authority: FRANK, address: ZERO_ADDRESS, nonce: 1n },
        { authority: FRANK, address: DELEGATE, nonce: 2n },
      ),
      { ...setCode(CAROL, DAVE.address, { authority: GRACE, address: DELEGATE }), fails: true },
      { ...transferOf2(transfer(ALICE, FRANK.address, 1n)), gasLimit: 60_000n },
    ],
  },
  {
    shows: 'SELFDESTRUCT in creations: ether stays (EIP-8246), goes to the caller, or to a new account',
    transactions: [
      createInFactory('ADDRESS SELFDESTRUCT'),
      createInFactory('CALLER SELFDESTRUCT'),
      {
        ...createInFactory(`${bytesToHex(labelAddress('amsterdam heir'))} SELFDESTRUCT`),
        gasLimit: 600_000n,
      },
    ],
  },
  {
    shows:
      'a transaction of every type, and a creation: the block counts its state gas, which is the larger sum',
    transactions: [
      transfer(ALICE, BOB.address, 1n),
      {
        ...transfer(ALICE, BOB.address, 1n),
        type: 1,
        accessList: listTokenBalances(ALICE),
        gasLimit: 40_000n,
      },
      transferOf2(transfer(ALICE, BOB.address, 1n)),
      carryBlobs(transfer(ALICE, BOB.address, 1n), 'every type of amsterdam', 2),
      setCode(
        ALICE,
        BOB.address,
        { authority: ERIN, address: DELEGATE },
        { authority: BOB, address: ZERO_ADDRESS },
      ),
      transferOf2(create(CAROL, deployCode(new Uint8Array(1_000)))),
    ],
    withdrawals: [{ validatorIndex: 15n, address: ALICE.address, amount: 15_500_000n }],
  },
  { shows: 'one plain transfer', transactions: [transferOf2(transfer(CAROL, BOB.address, 1n))] },
  {
    shows: 'the head: an ERC-20 transfer, one that fails, a plain transfer, a blob',
    transactions: [
      {
        ...transferOf2(transferToken(ALICE, BOB.address, 5n * TOKEN)),
        accessList: listTokenBalances(ALICE, BOB),
      },
      { ...transferOf2(transferToken(CAROL, BOB.address, 1_000_000n * TOKEN)), fails: true },
      transfer(BOB, ALICE.address, ETHER / 100n),
      carryBlobs(transfer(ERIN, ALICE.address, 0n), 'head of amsterdam', 1),
    ],
    withdrawals: [{ validatorIndex: 16n, address: WITHDRAWAL_RECIPIENT, amount: 16_000n }],
  },
];
