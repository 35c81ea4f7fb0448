/** Mantle's contracts before Arsia, which its project publishes compiled. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { downloadPackage, type NpmPackage } from './downloads.ts';

const ARTIFACTS = 'artifacts/contracts/L2';
const PACKAGE: NpmPackage = {
  name: '@mantleio/contracts-bedrock',
  version: '0.1.0',
  integrity:
    'sha512-tQ6ZANXUC91w0r36yg1GcchT++roUNg+wkTddKFFLIL/rN34q1Uw0I/01rMZ9KitwG6L+WaVuL9Z+5V9pUWKvQ==',
  paths: ['GasPriceOracle', 'L1Block'].map((name) => `${ARTIFACTS}/${name}.sol/${name}.json`),
};

/** Returns creation code. @throws Error when the package cannot be downloaded */
export function readMantleContracts(): { readonly oracle: string; readonly l1Block: string } {
  const folder = join(downloadPackage(PACKAGE), ARTIFACTS);
  const find = (name: string): string => {
    const artifact = readFileSync(join(folder, `${name}.sol/${name}.json`), 'utf8');
    return (JSON.parse(artifact) as { readonly bytecode: string }).bytecode;
  };
  return { oracle: find('GasPriceOracle'), l1Block: find('L1Block') };
}
