import { bytesToHex } from '../../packages/ethereum/primitives/hex.ts';
import { LONDON_AT_GENESIS } from '../../src/embedding/development-genesis.ts';
import { GAS_PRICE_ORACLE, GAS_PRICE_ORACLE_RUNTIME } from '../contracts/op-stack/gas-price-oracle.ts';
import { createL1BlockRuntime, encodeL1Block, L1_BLOCK } from '../contracts/op-stack/l1-block.ts';
import { allocateAccounts, DEPOSITOR } from './accounts.ts';
import { BLOB_SCHEDULE } from './devnet-genesis.ts';
import { encodeWord } from './encode-call.ts';
import { allocateContract, allocateSystemContracts, renderGenesis } from './genesis-file.ts';
import type { Origins } from './origins.ts';

export const OP_ROLLUP_CHAIN_ID = 10337;
/** Extra data of every block. */
export const EXTRA_DATA: Uint8Array = new TextEncoder().encode('portcullis op rollup');

/** Base fee in wei: the minimum, where it stays. */
const BASE_FEE = 7n;
const GAS_LIMIT = 60_000_000n;

/** Renders the genesis of the OP-Stack-like rollup, whose block 0 has the predeploys and already the values of layer 1. */
export function renderOpRollupGenesis(origins: Origins): string {
  const hex = (value: bigint): string => bytesToHex(encodeWord(value));
  const slots = [...encodeL1Block(origins.factsAt(origins.start))];
  const storage = Object.fromEntries(slots.map(([slot, value]) => [hex(BigInt(slot)), hex(value)]));
  return renderGenesis({
    config: {
      chainId: OP_ROLLUP_CHAIN_ID,
      ...LONDON_AT_GENESIS,
      shanghaiTime: 0,
      cancunTime: 0,
      pragueTime: 0,
      blobSchedule: BLOB_SCHEDULE,
    },
    header: {
      timestamp: `0x${origins.start.toString(16)}`,
      extraData: bytesToHex(EXTRA_DATA),
      gasLimit: `0x${GAS_LIMIT.toString(16)}`,
      difficulty: '0x0',
      baseFeePerGas: `0x${BASE_FEE.toString(16)}`,
    },
    allocations: {
      ...allocateAccounts([DEPOSITOR]),
      ...allocateSystemContracts(),
      [GAS_PRICE_ORACLE]: allocateContract(GAS_PRICE_ORACLE_RUNTIME),
      [L1_BLOCK]: allocateContract(createL1BlockRuntime(bytesToHex(DEPOSITOR.address)), storage),
    },
  });
}
