import { defineMethod, type Method } from '../rpc/method.ts';
import { quantity256 } from '../rpc/schemas.ts';
import { DEFAULT_BLOCK } from './block-reference.ts';
import { scopeOfAccount } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { ACCOUNT_PARAM, STATE_BLOCK_PARAM } from './state-params.ts';

export const ethGetBalance: Method<MethodContext> = defineMethod({
  name: 'eth_getBalance',
  summary: "Returns an account's balance in Wei.",
  description: 'On an embedded chain `pending` means `latest`, because there are no pending transactions.',
  params: [ACCOUNT_PARAM, STATE_BLOCK_PARAM],
  result: { name: 'balance', schema: quantity256 },
  contractScope: scopeOfAccount,
  cost: 80,
  errors: ['serverError'],
  example: {
    params: ['0xb22db1efc84ea674085fe1364910d5e8196cbc81', '0x3b'],
    result: '0x21bef1209473a08bbb2',
  },
  handle: ([account, block = DEFAULT_BLOCK], { network, scope }) =>
    network.chain.state.getBalance(account, block, scope),
});
