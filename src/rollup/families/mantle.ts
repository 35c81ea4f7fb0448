import type { Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { BlockReference, CallRequest } from '../../chain/requests.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readWord } from '../contract.ts';
import { draftTransaction } from '../estimate/draft-transaction.ts';
import { pinBlock } from '../estimate/pin-block.ts';
import { computeJovianOperatorFee } from '../fees/op-stack-fee.ts';
import { chainIdMark, contractMark } from '../marks.ts';
import { OP_STACK_MARKS } from '../op-stack/marks.ts';
import { GAS_PRICE_ORACLE } from '../op-stack/oracle.ts';
import { priceDraft } from '../op-stack/price-draft.ts';
import { L1_BLOCK, readOpStackInfo } from '../op-stack/read-info.ts';
import type { FamilyRow, GasEstimate, RollupSources } from '../rollup-family.ts';

/** Selector of `tokenRatio()`, which returns MNT per ETH. */
const TOKEN_RATIO = '0x06f837d3';
/** `isArsia()`: from Arsia on, data is charged in addition to gas. */
const IS_ARSIA = '0x1e2b6e7b';
/** `operatorFeeScalar()`, `operatorFeeConstant()` of the L1Block contract. */
const OPERATOR_PRICES: readonly string[] = ['0x4d5d9a2a', '0x16d3bc7f'];

/** Mantle: an OP Stack chain whose gas is paid in MNT. Before the Arsia fork, gas estimates of nodes include the data cost. */
export const mantle: FamilyRow = {
  name: 'mantle',
  gaps: { 'rollupContext.queueIndex': 'always' },
  create: (sources) => ({
    estimateGas: (request, scope) => estimateMantleGas(sources, request, scope),
    info: (scope) => readOpStackInfo(sources, scope),
  }),
  marks: [
    contractMark({
      address: GAS_PRICE_ORACLE,
      selector: TOKEN_RATIO,
      call: 'tokenRatio()',
      isNeeded: true,
    }),
    ...OP_STACK_MARKS,
    chainIdMark('mantle'),
  ],
};

async function estimateMantleGas(
  sources: RollupSources,
  request: CallRequest,
  scope: RequestScope,
): Promise<GasEstimate> {
  const { chain } = sources;
  const pinned = await pinBlock(chain, request.block, scope);
  const [draft, tokenRatio] = await Promise.all([
    draftTransaction(chain, request, pinned, scope),
    readTokenRatio(chain, pinned.reference, scope),
  ]);
  if (tokenRatio !== undefined) {
    return priceDraft(sources, draft, { tokenRatio, readOperatorFee: readMantleOperatorFee }, scope);
  }
  const { gasLimit, baseFeePerGas } = draft;
  return { gasLimit, baseFeePerGas, priorityFeePerGas: await draft.findTip() };
}

/** Reads the ratio of MNT to ETH; undefined before Arsia. @throws ChainError `misconfigured` if the chain's oracle has no ratio of MNT to ETH */
async function readTokenRatio(
  chain: Chain,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint | undefined> {
  const [isArsia, ratio] = await Promise.all(
    [IS_ARSIA, TOKEN_RATIO].map((data) => readWord(chain, { to: GAS_PRICE_ORACLE, data }, block, scope)),
  );
  if (ratio === undefined) {
    throw new ChainError(
      'misconfigured',
      `the contract ${GAS_PRICE_ORACLE} has no tokenRatio(): the chain is not Mantle`,
    );
  }
  return isArsia === 1n ? ratio : undefined;
}

/**
 * Reads Mantle's operator fee, from Arsia on, for an amount of gas, in wei of MNT. The formula is Jovian's (mantle-xyz/revm, l1block.rs). The
 * oracle's `getOperatorFee` is not used, because it divides by a million as in Isthmus' formula (mantle-v2, GasPriceOracle.sol 1.1.0).
 */
async function readMantleOperatorFee(
  chain: Chain,
  gas: bigint,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint> {
  const [scalar, constant] = await Promise.all(
    OPERATOR_PRICES.map((data) => readWord(chain, { to: L1_BLOCK, data }, block, scope)),
  );
  if (scalar === undefined || constant === undefined) {
    throw new ChainError(
      'misconfigured',
      `the contract ${L1_BLOCK} has no operatorFeeScalar(): the chain is not Mantle`,
    );
  }
  return computeJovianOperatorFee(gas, { scalar, constant });
}
