import { defineMethod, type Method } from '../rpc/method.ts';
import { data } from '../rpc/schemas.ts';
import { LATEST } from './block-reference.ts';
import type { MethodContext } from './method-context.ts';
import { ACCOUNT_PARAM, STATE_BLOCK_PARAM } from './state-params.ts';

export const ethGetCode: Method<MethodContext> = defineMethod({
  name: 'eth_getCode',
  summary: "A contract's code.",
  description:
    'An account without code has `0x`; one that has delegated itself (EIP-7702) has `0xef0100` and the address.',
  params: [ACCOUNT_PARAM, STATE_BLOCK_PARAM],
  result: { name: 'code', schema: data },
  cost: 80,
  errors: ['serverError'],
  example: { params: ['0xb22db1efc84ea674085fe1364910d5e8196cbc81', '0x3b'], result: '0x' },
  handle: ([account, block = LATEST], { network, scope }) =>
    network.chain.state.getCode(account, block, scope),
});
