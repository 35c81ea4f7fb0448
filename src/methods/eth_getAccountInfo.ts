import * as z from 'zod';
import type { BlockReference } from '../chain/requests.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { dataResult, quantity64Result, quantity256Result } from '../rpc/result-scalars.ts';
import { scopeOfAccount } from './contract-scope.ts';
import { blockOfHash } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { readWholeText } from './read-whole-text.ts';
import { ACCOUNT_PARAM, STATE_BLOCK_PARAM } from './state-params.ts';

const accountInfo: z.ZodType = z
  .object({ balance: quantity256Result, nonce: quantity64Result, code: dataResult })
  .meta({ title: 'account info' });

export const ethGetAccountInfo: Method<MethodContext> = defineMethod({
  name: 'eth_getAccountInfo',
  summary: 'Returns balance, nonce and code of an account after one block.',
  description:
    'reth returns the same result. The service combines `eth_getBalance`, `eth_getTransactionCount` and `eth_getCode` at the same block, so nodes need not support `eth_getAccountInfo`.',
  params: [
    ACCOUNT_PARAM,
    { ...STATE_BLOCK_PARAM, required: true, description: 'Block after which the state is read.' },
  ],
  result: { name: 'account', schema: accountInfo },
  contractScope: scopeOfAccount,
  cost: 240,
  errors: ['serverError'],
  example: {
    params: ['0xb22db1efc84ea674085fe1364910d5e8196cbc81', '0x3b'],
    result: { balance: '0x21bef1209473a08bbb2', nonce: '0x2b', code: '0x' },
  },
  async handle([account, block], context) {
    const { network, scope } = context;
    const { state } = network.chain;
    const at = await pin(block, context);
    const [balance, nonce, code] = await Promise.all([
      state.getBalance(account, at, scope),
      state.getTransactionCount(account, at, scope),
      state.getCode(account, at, scope),
    ]);
    return `{"balance":${balance},"nonce":${nonce},"code":${await readWholeText(code)}}`;
  },
});

/**
 * Resolves a tag or number to a block hash, so that all reads use one block even if the head moves. A block without a hash, such as a pending one,
 * stays referenced by tag or number.
 */
async function pin(block: BlockReference, { network, scope }: MethodContext): Promise<BlockReference> {
  if (block.kind === 'hash') return block;
  const header = await network.chain.blocks.getHeader(block, scope);
  return header?.hash === undefined ? block : blockOfHash(header.hash);
}
