import type { BlockReference, CallRequest, Chain } from '../../chain/chain.ts';
import { ChainError } from '../../chain/errors.ts';
import type { RequestScope } from '../../util/request-scope.ts';
import { readWord } from '../contract.ts';
import { draftTransaction } from '../estimate/draft-transaction.ts';
import { pinBlock } from '../estimate/pin-block.ts';
import { chainIdMark, contractMark } from '../marks.ts';
import { OP_STACK_MARKS } from '../op-stack/marks.ts';
import { GAS_PRICE_ORACLE } from '../op-stack/oracle.ts';
import { priceDraft } from '../op-stack/price-draft.ts';
import { readOpStackInfo } from '../op-stack/read-info.ts';
import type { FamilyRow, GasEstimate, RollupSources } from '../rollup-family.ts';

/** `tokenRatio()`: MNT for one ETH. */
const TOKEN_RATIO = '0x06f837d3';
/** `isArsia()`: since then data is paid for beside the gas. */
const IS_ARSIA = '0x1e2b6e7b';

/** Mantle: an OP Stack chain with gas paid in MNT. Before Arsia its gas estimates have the cost of data in them. */
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
  if (tokenRatio !== undefined) return priceDraft(sources, draft, tokenRatio, scope);
  const { gasLimit, baseFeePerGas } = draft;
  return { gasLimit, baseFeePerGas, priorityFeePerGas: await draft.findTip() };
}

/** Undefined before Arsia. @throws ChainError when the chain has no such ratio */
async function readTokenRatio(
  chain: Chain,
  block: BlockReference,
  scope: RequestScope,
): Promise<bigint | undefined> {
  const [isArsia, ratio] = await Promise.all(
    [IS_ARSIA, TOKEN_RATIO].map((data) => readWord(chain, { to: GAS_PRICE_ORACLE, data }, block, scope)),
  );
  if (ratio === undefined) {
    throw new ChainError('misconfigured', `no tokenRatio() at ${GAS_PRICE_ORACLE}: the chain is no Mantle`);
  }
  return isArsia === 1n ? ratio : undefined;
}
