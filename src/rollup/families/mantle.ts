import type { BlockReference, CallRequest, CallScope, Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import { readWord } from '../contract.ts';
import { draftTransaction } from '../estimate/draft-transaction.ts';
import { foldL1Cost } from '../estimate/fold-l1-cost.ts';
import { pinBlock } from '../estimate/pin-block.ts';
import { encodeSigningPayload } from '../estimate/signing-payload.ts';
import { GAS_PRICE_ORACLE, readL1Fee, readOperatorFee } from '../op-stack/oracle.ts';
import { readOpStackInfo } from '../op-stack/read-info.ts';
import { recogniseOpStack } from '../op-stack/recognise.ts';
import type { FamilyRow, GasEstimate, RollupSources } from '../rollup-family.ts';

/** `tokenRatio()`: MNT for one ETH. */
const TOKEN_RATIO = '0x06f837d3';
/** `isArsia()`: since then data is paid for beside the gas. */
const IS_ARSIA = '0x1e2b6e7b';

/** Mantle: an OP Stack chain whose gas is paid in MNT. Before Arsia its gas estimates have the cost of data in them. */
export const mantle: FamilyRow = {
  name: 'mantle',
  prefix: 'mantle',
  gaps: { 'rollupContext.queueIndex': 'always' },
  create: (sources) => ({
    estimateGas: (request, scope) => estimateMantleGas(sources, request, scope),
    info: (scope) => readOpStackInfo(sources, scope),
  }),
  recognise: async (probe) =>
    (await probe.callContract(GAS_PRICE_ORACLE, TOKEN_RATIO)) !== undefined && recogniseOpStack(probe),
};

async function estimateMantleGas(
  { chain, l1CostMode }: RollupSources,
  request: CallRequest,
  scope: CallScope,
): Promise<GasEstimate> {
  const pinned = await pinBlock(chain, request.block, scope);
  const [draft, tokenRatio] = await Promise.all([
    draftTransaction(chain, request, pinned, scope),
    readTokenRatio(chain, pinned.reference, scope),
  ]);
  const { gasLimit, baseFeePerGas, reference } = draft;
  if (tokenRatio === undefined) {
    return { gasLimit, baseFeePerGas, priorityFeePerGas: await draft.findTip() };
  }
  const transaction = encodeSigningPayload(draft.call, draft.defaults);
  const [tip, l1Fee, operatorFee] = await Promise.all([
    draft.findTip(),
    readL1Fee(chain, transaction, reference, scope),
    readOperatorFee(chain, gasLimit, reference, scope),
  ]);
  // The contract's fee is in ETH.
  const l1Cost = l1Fee * tokenRatio + operatorFee;
  return { gasLimit, baseFeePerGas, priorityFeePerGas: foldL1Cost({ gasLimit, tip, l1Cost }, l1CostMode) };
}

/** Undefined before Arsia. @throws ChainError when the chain has no such ratio */
async function readTokenRatio(
  chain: Chain,
  block: BlockReference,
  scope: CallScope,
): Promise<bigint | undefined> {
  const [isArsia, ratio] = await Promise.all(
    [IS_ARSIA, TOKEN_RATIO].map((data) => readWord(chain, { to: GAS_PRICE_ORACLE, data }, block, scope)),
  );
  if (ratio === undefined) {
    throw new ChainError('misconfigured', `no tokenRatio() at ${GAS_PRICE_ORACLE}: the chain is no Mantle`);
  }
  return isArsia === 1n ? ratio : undefined;
}
