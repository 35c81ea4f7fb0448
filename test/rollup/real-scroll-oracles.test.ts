/** Estimates compared with Scroll's own contracts, formula by formula, which run on anvil; ethers encodes and signs the transactions. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { keccak256 } from 'ethers';
import { bytesToHex, hexToBytes } from '../../packages/ethereum/primitives/hex.ts';
import { SCROLL_ORACLE } from '../../scripts/contracts/scroll-oracle.ts';
import { findCompressedSize } from '../../src/rollup/scroll/compressed-size.ts';
import { ANVIL_SKIP } from '../support/anvil.ts';
import { encodeBytes, OracleStage } from './oracle-stage.ts';
import { draft, listCalls, makeBlobCall, sign, TIP, TRANSACTION_KINDS } from './oracle-transactions.ts';
import { compileScrollOracle, type ScrollCode } from './scroll-contracts.ts';

const MORPH_ORACLE = '0x530000000000000000000000000000000000000f';
const GET_L1_FEE = '0x49948e0e';
/** Bytes by which an estimate's incompressible signature may exceed a real one of which two or three bytes occur elsewhere. */
const SIGNATURE_SLACK = 2;
/** Scalars are in units of 1e-9. */
const PRECISION = 1_000_000_000n;

/**
 * `l1BaseFee`, `overhead` and `scalar` of Scroll's block 5,224,657, from the proofs in its trace (scroll-tech/stateless-block-verifier,
 * testdata/mainnet_blocks/5224657.json).
 */
const BERNOULLI: readonly [number, bigint][] = [
  [1, 1_091_189_543n],
  [2, 56n],
  [3, 1_050_000_000n],
];
const COMMIT_SCALAR = 230_759_955_285n;
const BLOB_SCALAR = 417_565_260n;
/** Value from a block of OP Mainnet; no Scroll block with its blob base fee was available. */
const BLOB_BASE_FEE = 3_402_823n;
/** Scalars that Curie sets (crates/primitives/src/predeployed.rs of scroll-tech/stateless-block-verifier). */
const CURIE: readonly [number, bigint][] = [
  ...BERNOULLI,
  [5, BLOB_BASE_FEE],
  [6, COMMIT_SCALAR],
  [7, BLOB_SCALAR],
  [8, 1n],
];
/** Since Feynman the commit scalar is per byte; this test chooses it and the penalties, as those of a public block were not available. */
const BYTE_SCALAR = 1_000_000n;
const FEYNMAN_PENALTY = 2_000_000_000n;
const GALILEO_PENALTY = 10_000n;
const FEYNMAN: readonly [number, bigint][] = [
  ...CURIE,
  [6, BYTE_SCALAR],
  [9, PRECISION],
  [10, FEYNMAN_PENALTY],
  [11, 1n],
];
const GALILEO: readonly [number, bigint][] = [...FEYNMAN, [10, GALILEO_PENALTY], [12, 1n]];

const [[, L1_BASE_FEE]] = BERNOULLI as [[number, bigint]];
const BYTE_PRICE = BYTE_SCALAR * L1_BASE_FEE + BLOB_SCALAR * BLOB_BASE_FEE;

function computeCurie(size: bigint, blobScalar = BLOB_SCALAR): bigint {
  return (COMMIT_SCALAR * L1_BASE_FEE + blobScalar * size * BLOB_BASE_FEE) / PRECISION;
}

/** Bernoulli's fee of a transaction with `zeros` zero bytes, wei. */
function computeBernoulli(size: bigint, zeros: bigint): bigint {
  return ((16n * size - 12n * zeros + 56n + 64n) * L1_BASE_FEE * 1_050_000_000n) / PRECISION;
}

function computeFeynman(size: bigint): bigint {
  return (BYTE_PRICE * size * FEYNMAN_PENALTY) / PRECISION / PRECISION;
}

function computeGalileo(size: bigint): bigint {
  const base = BYTE_PRICE * size;
  return (base + (base * size) / GALILEO_PENALTY) / PRECISION;
}

type Form = {
  readonly name: string;
  readonly code: ScrollCode;
  readonly slots: readonly [number, bigint][];
  /** Fee by the formula, wei. */
  readonly compute: (size: bigint, zeros: bigint) => bigint;
  /** Longest data in bytes: the formula reads every byte, and a node has not enough gas for more. */
  readonly maxLength?: number;
  readonly isCompressed?: boolean;
};

const FORMS: readonly Form[] = [
  { name: 'Bernoulli', code: 'curie', slots: BERNOULLI, compute: computeBernoulli, maxLength: 40_000 },
  { name: 'Curie', code: 'curie', slots: CURIE, compute: (size) => computeCurie(size) },
  { name: 'Feynman', code: 'galileo', slots: FEYNMAN, compute: computeFeynman },
  { name: 'Galileo', code: 'galileo', slots: GALILEO, compute: computeGalileo, isCompressed: true },
];

const CHAIN_ID = 534_352;

/**
 * Transactions of Scroll's block 5,224,657. The fee of the first is `l1DataFee` of the trace; that of the other is the decrease of its sender's balance from
 * the start of the block to the start of its execution, minus the gas cost.
 */
const CHARGED = [
  {
    hash: '0x1bf2bff3c045e236552afb632d25bec2c948f29c73a3bf8fc741a078a974d7c3',
    fee: 3_950_542_621_477n,
    raw: '0xf9014e8205bf8424b76a00832dc6c094fc30937f5cde93df8d48acaf7e6f5d8d8a31f63680b8e404e45aaf000000000000000000000000530000000000000000000000000000000000000400000000000000000000000006efdbff2a14a7c8e15944d1f4a48f9f95f663a400000000000000000000000000000000000000000000000000000000000001f4000000000000000000000000756dab6280de64f2c58a2c693a1528fcaf23ec5a0000000000000000000000000000000000000000000000000494654067e10000000000000000000000000000000000000000000000000000000000003ebefa44000000000000000000000000000000000000000000000000000000000000000083104ec4a015954ae5b7f449d0a416016978265e2ab365b1e85007b051bc21b532f967e989a03a1d5f33442fe4723387afa7a8e51ed3cbb331fb2800d1f5a1dc85a2578e1089',
  },
  {
    hash: '0xe34313277c8c8416b90d67772f27ee183d11023d03c4a66c27f50d34db5f06cf',
    fee: 0x26c02866171a55n - 0x26a7b8cb7682den - 60_306n * 400_000_000n,
    raw: '0xf8ab128417d7840082eb929406efdbff2a14a7c8e15944d1f4a48f9f95f663a480b844095ea7b300000000000000000000000063fdafa50c09c49f594f47ea7194b721291ec50f000000000000000000000000000000000000000000000000000000001ada7c3a83104ec4a09361ad25d203047b7818243059ee9960e445206fc64b2c787b2d39f07dd269e6a026b8ffe8c282ec5e952af85ff869a466b557f6cd851e8be4f125eeb3b4251556',
  },
];

/** Compares estimates of every kind of transaction with the fees of the stage's contract for the signed ones. */
function testEstimates(
  open: () => OracleStage,
  method: string,
  chainId: number,
  { compute, maxLength, isCompressed = false }: Omit<Form, 'name' | 'code' | 'slots'>,
): void {
  for (const kind of TRANSACTION_KINDS) {
    const exactness = isCompressed ? 'but for the signature' : 'to the wei';
    test(`estimates of ${kind} transactions equal the charge of the contract, ${exactness}`, async () => {
      const stage = open();
      for (const { length, call } of listCalls(kind, chainId, maxLength)) {
        const estimate = await stage.estimate(method, call);
        const gas = BigInt(estimate.gasLimit);
        const signed = hexToBytes(sign(draft(kind, call, estimate, chainId)));
        const size = isCompressed ? await findCompressedSize(signed) : signed.length;
        const chargeFor = async (bytes: number): Promise<bigint> => {
          // The contract reads only the number of bytes, so these stand in for the compressed ones.
          const priced = signed.length < bytes ? Buffer.concat([signed, signed]) : signed;
          const counted = priced.subarray(0, bytes);
          const zeros = counted.filter((byte) => byte === 0).length;
          const fee = await stage.ask(encodeBytes(GET_L1_FEE, bytesToHex(counted)));
          assert.equal(fee, compute(BigInt(bytes), BigInt(zeros)));
          return TIP + ((fee as bigint) + gas - 1n) / gas;
        };
        const least = await chargeFor(size);
        const most = isCompressed ? await chargeFor(size + SIGNATURE_SLACK) : least;
        const got = BigInt(estimate.priorityFeePerGas);
        assert.ok(got >= least && got <= most, `${kind}, ${length} bytes: ${got}, not ${least} to ${most}`);
      }
    });
  }

  test('blob transactions are refused: rollups have none', async () => {
    const estimating = open().estimate(method, makeBlobCall(chainId));
    await assert.rejects(estimating, /[Uu]nsupported transaction type|blob/);
  });
}

describe('Scroll', { skip: ANVIL_SKIP }, () => {
  for (const form of FORMS) {
    describe(form.name, () => {
      let stage: OracleStage;
      before(async () => {
        stage = await OracleStage.open({
          chainId: CHAIN_ID,
          oracle: SCROLL_ORACLE,
          codes: { [SCROLL_ORACLE]: compileScrollOracle(form.code) },
          storage: { [SCROLL_ORACLE]: new Map(form.slots) },
        });
      });
      after(() => stage.close());

      testEstimates(() => stage, 'scroll_estimateGas', CHAIN_ID, form);

      if (form.name === 'Bernoulli')
        test('two transactions of block 5,224,657 have the fees that the chain charged', async () => {
          for (const { hash, fee, raw } of CHARGED) {
            assert.equal(keccak256(raw), hash);
            assert.equal(await stage.ask(encodeBytes(GET_L1_FEE, raw)), fee);
          }
        });
    });
  }
});

/**
 * Morph's own oracle is in no registry. It has the formulas of Scroll's oracle before and since Curie (morph-l2/morph, bindings; morph-reth,
 * crates/revm/src/l1block.rs), so Scroll's stands in for it, with Morph's blob scalar (block 1,566; morph-l2/morph,
 * prover/testdata/mainnet_batch_traces_test.json).
 */
describe('Morph', { skip: ANVIL_SKIP }, () => {
  const chainId = 2_818;
  const MORPH_BLOB_SCALAR = 100_000_000_000n;
  let stage: OracleStage;
  before(async () => {
    stage = await OracleStage.open({
      chainId,
      oracle: MORPH_ORACLE,
      codes: { [MORPH_ORACLE]: compileScrollOracle('curie') },
      storage: { [MORPH_ORACLE]: new Map([...CURIE, [7, MORPH_BLOB_SCALAR]]) },
    });
  });
  after(() => stage.close());

  testEstimates(() => stage, 'morph_estimateGas', chainId, {
    compute: (size) => computeCurie(size, MORPH_BLOB_SCALAR),
  });
});
