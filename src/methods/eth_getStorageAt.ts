import { continueWith } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { RpcError } from '../rpc/errors.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { hash32 } from '../rpc/schemas.ts';
import { DEFAULT_BLOCK } from './block-reference.ts';
import { scopeOfAccount } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { ACCOUNT_PARAM, decodeSlot, STATE_BLOCK_PARAM, slotText } from './state-params.ts';

export const ethGetStorageAt: Method<MethodContext> = defineMethod({
  name: 'eth_getStorageAt',
  summary: 'Returns the value of a storage slot of a contract.',
  description:
    'The slot number may be shorter than 32 bytes, and may lack the prefix `0x`. The value of a slot that was never set is zero.',
  params: [
    ACCOUNT_PARAM,
    { name: 'slot', description: 'Number of the slot, at most 32 bytes.', required: true, codec: slotText },
    STATE_BLOCK_PARAM,
  ],
  result: { name: 'value', schema: hash32 },
  contractScope: scopeOfAccount,
  cost: 80,
  errors: ['serverError'],
  example: {
    params: ['0xcabe9823112d187ea24d56be8e47ae75ed52a842', '0x2', '0x3b'],
    result: '0x00000000000000000000000000000000000000000000d3c21bcecceda1000000',
  },
  handle: ([account, slot, block = DEFAULT_BLOCK], { network, scope }) => {
    const { state } = network.chain;
    try {
      return state.getStorageAt(account, decodeSlot(slot).word, block, scope);
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      // geth looks up the block before it decodes the slot. The error for an unknown block therefore takes precedence over the error for an invalid
      // slot.
      return continueWith(state.getBalance(account, block, scope), () => {
        throw error;
      });
    }
  },
});
