import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity64 } from '../rpc/schemas.ts';
import { DEFAULT_BLOCK } from './block-reference.ts';
import { scopeOfAccount } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { ACCOUNT_PARAM, STATE_BLOCK_PARAM } from './state-params.ts';

export const ethGetTransactionCount: Method<MethodContext> = defineMethod({
  name: 'eth_getTransactionCount',
  summary: "Returns an account's nonce: the number of transactions that the account has sent.",
  description: 'On an embedded chain `pending` means `latest`, because there are no pending transactions.',
  params: [ACCOUNT_PARAM, STATE_BLOCK_PARAM],
  result: { name: 'nonce', schema: quantity64 },
  contractScope: scopeOfAccount,
  cost: 80,
  errors: ['serverError'],
  example: { params: ['0xb22db1efc84ea674085fe1364910d5e8196cbc81', '0x3b'], result: '0x2b' },
  handle: ([account, block = DEFAULT_BLOCK], { network, scope }) =>
    network.chain.state.getTransactionCount(account, block, scope),
});
