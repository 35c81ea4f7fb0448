/**
 * Scroll's L1GasPriceOracle: its project publishes sources only, so solc compiles them here with that project's settings (scroll-contracts, foundry.toml):
 * 0.8.24, 200 runs, Cancun, no hash of the metadata.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { downloadPackage, type NpmPackage } from './downloads.ts';

const SOLC: NpmPackage = {
  name: 'solc',
  version: '0.8.24',
  integrity:
    'sha512-G5yUqjTUPc8Np74sCFwfsevhBPlUifUOfhYrgyu6CmYlC6feSw0YS6eZW47XDT23k3JYdKx5nJ+Q7whCEmNcoA==',
  paths: ['soljson.js'],
};
const contractsOf = (version: string, integrity: string): NpmPackage => ({
  name: '@scroll-tech/contracts',
  version,
  integrity,
  paths: ['L2/predeploys', 'libraries'],
});
/** The contract that Curie deployed, and that of Galileo, which has the formulas of all earlier forks. */
export type ScrollCode = 'curie' | 'galileo';

const PACKAGES: Readonly<Record<ScrollCode, NpmPackage>> = {
  curie: contractsOf(
    '2.0.0',
    'sha512-O8sVaA/bVKH/mp+bBfUjZ/vYr5mdBExCpKRLre4r9TbXTtiaY9Uo5xU8dcG3weLxyK0BZqDTP2aCNp4Q0f7SeA==',
  ),
  galileo: contractsOf(
    '4.0.0',
    'sha512-YTSQoe1Do9p6mD2zIr6bJQdGoUyApCBm7MO9t/v39zHwI6BQgUhgI01gCNYv8KluwImT7jUwGYOUucmiuQT7FA==',
  ),
};
const SOURCE = 'L2/predeploys/L1GasPriceOracle.sol';
const CONTRACT = 'L1GasPriceOracle';
const COMPILE_MS = 120_000;
/** The compiler runs in its own process, because it installs error listeners on its process. */
const PROGRAM = `
const compiler = require(process.argv[1]);
const compile = compiler.cwrap('solidity_compile', 'string', ['string', 'number', 'number']);
process.stdout.write(compile(require('node:fs').readFileSync(0, 'utf8'), 0, 0));`;

type Compiled = {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[];
  readonly contracts?: Readonly<
    Record<
      string,
      Record<string, { readonly evm: { readonly deployedBytecode: { readonly object: string } } }>
    >
  >;
};

/** Collects a source and all its imports, by path. */
function collectSources(
  folder: string,
  path: string,
  found: Record<string, { readonly content: string }> = {},
): Readonly<Record<string, { readonly content: string }>> {
  if (found[path] !== undefined) return found;
  const content = readFileSync(join(folder, path), 'utf8');
  found[path] = { content };
  for (const [, imported = ''] of content.matchAll(/\bfrom "(\.[^"]+)"/g))
    collectSources(folder, posix.join(posix.dirname(path), imported), found);
  return found;
}

/** Compiles the oracle's runtime code. @throws Error when the packages cannot be downloaded or do not compile */
export function compileScrollOracle(fork: ScrollCode): string {
  const sources = collectSources(downloadPackage(PACKAGES[fork]), SOURCE);
  const settings = {
    evmVersion: 'cancun',
    optimizer: { enabled: true, runs: 200 },
    metadata: { bytecodeHash: 'none' },
    outputSelection: { '*': { [CONTRACT]: ['evm.deployedBytecode.object'] } },
  };
  const printed = execFileSync(process.execPath, ['-e', PROGRAM, join(downloadPackage(SOLC), 'soljson.js')], {
    input: JSON.stringify({ language: 'Solidity', sources, settings }),
    encoding: 'utf8',
    timeout: COMPILE_MS,
    maxBuffer: 2 ** 26,
  });
  const { errors = [], contracts } = JSON.parse(printed) as Compiled;
  const failure = errors.find(({ severity }) => severity === 'error');
  if (failure !== undefined) throw new Error(failure.formattedMessage);
  const code = contracts?.[SOURCE]?.[CONTRACT]?.evm.deployedBytecode.object;
  if (code === undefined) throw new Error(`solc made no ${CONTRACT}`);
  return `0x${code}`;
}
