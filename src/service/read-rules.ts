import type { ChainConfig } from '../../packages/ethereum/codecs/chain-config.ts';
import { parseGenesis } from '../../packages/evm/transition/genesis.ts';
import { MAX_GENESIS_BYTES, readRegularFile } from '../util/read-file.ts';
import { describeSystemError } from '../util/system-error.ts';

/** Reads the fork rules of a chain from its genesis file. @throws Error with the file */
export function readRules(path: string): ChainConfig {
  try {
    return parseGenesis(readRegularFile(path, MAX_GENESIS_BYTES).toString('utf8')).config;
  } catch (error) {
    throw new Error(`the rules of the chain in ${path} cannot be read: ${describeSystemError(error)}`, {
      cause: error,
    });
  }
}

/** @throws Error with the file if its fork rules are for another chain */
export function requireChain(path: string, rules: ChainConfig, chainId: bigint): void {
  if (rules.chainId !== chainId)
    throw new Error(`${path} has the rules of chain ${rules.chainId}, but the network is chain ${chainId}`);
}
