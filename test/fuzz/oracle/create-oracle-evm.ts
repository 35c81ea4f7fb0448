import { createCustomCommon, Hardfork, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM } from '@ethereumjs/evm';
import { bigIntToFixedBytes } from '../../../packages/ethereum/primitives/bytes.ts';
import type { Revision } from '../../../packages/evm/interpreter/revisions/revisions.ts';
import { blockHashOf, CHAIN_ID } from '../fuzz-case.ts';
import { KZG_VERIFIER } from './kzg.ts';
import type { OracleState } from './oracle-state.ts';

const HARDFORKS: Readonly<Record<Revision, Hardfork>> = {
  frontier: Hardfork.Chainstart,
  homestead: Hardfork.Homestead,
  tangerineWhistle: Hardfork.TangerineWhistle,
  spuriousDragon: Hardfork.SpuriousDragon,
  byzantium: Hardfork.Byzantium,
  constantinople: Hardfork.Constantinople,
  petersburg: Hardfork.Petersburg,
  istanbul: Hardfork.Istanbul,
  berlin: Hardfork.Berlin,
  london: Hardfork.London,
  paris: Hardfork.Paris,
  shanghai: Hardfork.Shanghai,
  cancun: Hardfork.Cancun,
  prague: Hardfork.Prague,
  osaka: Hardfork.Osaka,
  amsterdam: Hardfork.Amsterdam,
};

const BLOCKCHAIN = {
  getBlock: async (number: number): Promise<{ hash: () => Uint8Array }> => ({
    hash: () => bigIntToFixedBytes(blockHashOf(BigInt(number)), 32),
  }),
  putBlock: async (): Promise<void> => undefined,
  shallowCopy() {
    return this;
  },
};

/** Creates the library's EVM of one revision on this state. */
export function createOracleEvm(revision: Revision, stateManager: OracleState): Promise<EVM> {
  const common = createCustomCommon({ chainId: CHAIN_ID.toString() }, Mainnet, {
    hardfork: HARDFORKS[revision],
    customCrypto: { kzg: KZG_VERIFIER },
  });
  // The library searches a list for every instruction; the list's contents do not change.
  const activated = new Set(
    Array.from({ length: 10_000 }, (_, eip) => eip).filter((eip) => common.isActivatedEIP(eip)),
  );
  common.isActivatedEIP = (eip) => activated.has(eip);
  return createEVM({ common, stateManager, blockchain: BLOCKCHAIN });
}
