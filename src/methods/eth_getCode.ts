import { defineMethod, type Method } from '../rpc/method.ts';
import { data } from '../rpc/schemas.ts';
import { DEFAULT_BLOCK } from './block-reference.ts';
import { scopeOfAccount } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { ACCOUNT_PARAM, STATE_BLOCK_PARAM } from './state-params.ts';

export const ethGetCode: Method<MethodContext> = defineMethod({
  name: 'eth_getCode',
  summary: "Returns a contract's code.",
  description:
    'The result is `0x` for an account without code. The code of an account with a delegation (EIP-7702) is `0xef0100`, followed by the address of the delegate.',
  params: [ACCOUNT_PARAM, STATE_BLOCK_PARAM],
  result: { name: 'code', schema: data },
  contractScope: scopeOfAccount,
  cost: 80,
  errors: ['serverError'],
  example: {
    params: ['0xd4c6a0a120d1d22c7091e2c42b9f3c07f9fae5aa', '0x2f'],
    result: '0xef010093333479292cfa4aee05e0eea5f4730b9321026f',
  },
  handle: ([account, block = DEFAULT_BLOCK], { network, scope }) =>
    network.chain.state.getCode(account, block, scope),
});
