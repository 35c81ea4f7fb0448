import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { BUILDER_DEPOSITS, BUILDER_EXITS, CREATE2_FACTORY } from '../contracts/builder-contracts.ts';
import { DEPOSIT_RUNTIME } from '../contracts/deposit.ts';
import { SYSTEM_CONTRACTS } from '../contracts/system-contracts.ts';
import { allocateContract, allocateSystemContracts, renderGenesis } from './genesis-file.ts';

export const DEVNET_CHAIN_ID = 7337;
/** First proof-of-stake block. */
export const MERGE_BLOCK = 34n;
/** First block of the DAO fork. */
export const DAO_FORK_BLOCK = 6n;

/** Address of mainnet's deposit contract. */
export const DEPOSIT_CONTRACT: Uint8Array = hexToBytes('0x00000000219ab540356cbb839cbe05303d7705fa');
/** One of the accounts that the DAO fork empties, and the recipient of the ether (EIP-779). */
const DRAINED_BY_DAO_FORK = '0x304a554a310c7e546dfe434669c62820b7d83490';

/** Contracts that Amsterdam's activation does not create, so that they must exist in genesis. */
const AMSTERDAM_CONTRACTS = [BUILDER_DEPOSITS, BUILDER_EXITS, CREATE2_FACTORY];

/** Keys of geth's genesis format. */
const BLOCK_FORKS = {
  homesteadBlock: 3,
  daoForkBlock: Number(DAO_FORK_BLOCK),
  daoForkSupport: true,
  eip150Block: 9,
  eip155Block: 12,
  eip158Block: 12,
  byzantiumBlock: 15,
  constantinopleBlock: 18,
  petersburgBlock: 21,
  istanbulBlock: 24,
  muirGlacierBlock: 25,
  berlinBlock: 27,
  londonBlock: 30,
  arrowGlacierBlock: 31,
  grayGlacierBlock: 32,
} as const;

/** First block of each fork that is activated by timestamp. */
const TIME_FORKS = {
  shanghai: 38,
  cancun: 42,
  prague: 47,
  osaka: 52,
  bpo1: 55,
  bpo2: 58,
  amsterdam: 62,
} as const;

/** Mainnet's limits: EIP-4844, EIP-7691, EIP-7892. */
export const BLOB_SCHEDULE = {
  cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3338477 },
  prague: { target: 6, max: 9, baseFeeUpdateFraction: 5007716 },
  osaka: { target: 6, max: 9, baseFeeUpdateFraction: 5007716 },
  bpo1: { target: 10, max: 15, baseFeeUpdateFraction: 8346193 },
  bpo2: { target: 14, max: 21, baseFeeUpdateFraction: 11684671 },
};

/** Sum of the difficulties of blocks 0 to 33, which follow from the blocks' timestamps and uncles. */
const TERMINAL_TOTAL_DIFFICULTY = 8_925_440;

export const GENESIS_TIME = 1_700_000_000n;
/** Seconds between proof-of-work blocks, in rotation. */
const WORK_INTERVALS: readonly bigint[] = [13n, 9n, 17n, 8n, 11n, 21n];
const SLOT_SECONDS = 12n;

export function timestampOf(number: bigint): bigint {
  const lastWork = MERGE_BLOCK - 1n;
  let timestamp = GENESIS_TIME;
  for (let i = 1n; i <= number && i <= lastWork; i++) {
    timestamp += WORK_INTERVALS[Number(i) % WORK_INTERVALS.length] as bigint;
  }
  return number > lastWork ? timestamp + (number - lastWork) * SLOT_SECONDS : timestamp;
}

export function renderDevnetGenesis(): string {
  const times = Object.entries(TIME_FORKS).map(([fork, block]): [string, number] => [
    `${fork}Time`,
    Number(timestampOf(BigInt(block))),
  ]);
  return renderGenesis({
    config: {
      chainId: DEVNET_CHAIN_ID,
      ...BLOCK_FORKS,
      terminalTotalDifficulty: TERMINAL_TOTAL_DIFFICULTY,
      ...Object.fromEntries(times),
      blobSchedule: BLOB_SCHEDULE,
      depositContractAddress: bytesToHex(DEPOSIT_CONTRACT),
      ethash: {},
    },
    header: {
      nonce: '0x0000000000000042',
      timestamp: `0x${GENESIS_TIME.toString(16)}`,
      extraData: bytesToHex(new TextEncoder().encode('portcullis devnet')),
      gasLimit: '0xe4e1c0',
      difficulty: '0x40000',
    },
    allocations: {
      ...allocateSystemContracts([...SYSTEM_CONTRACTS, ...AMSTERDAM_CONTRACTS]),
      [bytesToHex(DEPOSIT_CONTRACT)]: allocateContract(DEPOSIT_RUNTIME),
      [DRAINED_BY_DAO_FORK]: { balance: `0x${(5n * 10n ** 18n).toString(16)}` },
    },
  });
}
