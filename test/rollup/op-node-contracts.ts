/** Contracts of the OP Stack as its forks deploy them; op-node's sources contain their creation code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { downloadGoModule } from './downloads.ts';

const MODULE = 'github.com/ethereum-optimism/optimism';
const VERSION = 'v1.16.3';

export type OpStackFork = 'ecotone' | 'fjord' | 'isthmus' | 'jovian';

/** Creation code of one fork; Fjord leaves the L1Block contract unchanged. */
export type ForkContracts = { readonly oracle: string; readonly l1Block: string };

/** Reads the creation code by fork. @throws Error with the output of `go` when the module cannot be downloaded */
export function readOpNodeContracts(): Readonly<Record<OpStackFork, ForkContracts>> {
  const folder = downloadGoModule(MODULE, VERSION);
  const find = (fork: string, name: string): string => {
    const source = readFileSync(
      join(folder, `op-node/rollup/derive/${fork}_upgrade_transactions.go`),
      'utf8',
    );
    const code = new RegExp(`${name}\\w*DeploymentBytecode\\s*=\\s*common\\.FromHex\\("(0x[0-9a-f]+)"`).exec(
      source,
    );
    if (code?.[1] === undefined) throw new Error(`no creation code of ${name} in ${fork}`);
    return code[1];
  };
  const oracleOf = (fork: string): string => find(fork, 'gasPriceOracle');
  const l1BlockOf = (fork: string): string => find(fork, 'l1Block');
  return {
    ecotone: { oracle: oracleOf('ecotone'), l1Block: l1BlockOf('ecotone') },
    fjord: { oracle: oracleOf('fjord'), l1Block: l1BlockOf('ecotone') },
    isthmus: { oracle: oracleOf('isthmus'), l1Block: l1BlockOf('isthmus') },
    jovian: { oracle: oracleOf('jovian'), l1Block: l1BlockOf('jovian') },
  };
}
