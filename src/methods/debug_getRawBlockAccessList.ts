import { continueWith } from '../../packages/ethereum/primitives/promise-or-value.ts';
import { RpcError } from '../rpc/errors.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { data } from '../rpc/schemas.ts';
import { scopeOfAnything } from './contract-scope.ts';
import { ANY_BLOCK_PARAM } from './lookups.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_RAW_BLOCK_ACCESS_LIST } from './result-examples.ts';

export const debugGetRawBlockAccessList: Method<MethodContext> = defineMethod({
  name: 'debug_getRawBlockAccessList',
  summary:
    'Returns the block access list (EIP-7928) of a block as RLP. The header contains the hash of the list.',
  description: 'An unknown block, `pending` and a block from before Amsterdam cause an error.',
  params: [ANY_BLOCK_PARAM],
  result: { name: 'block access list', schema: data },
  contractScope: scopeOfAnything,
  cost: 1000,
  isOptIn: true,
  errors: ['resourceNotFound', 'prunedHistory', 'serverError'],
  example: { params: ['0x46'], result: EXAMPLE_RAW_BLOCK_ACCESS_LIST },
  handle([block], { network, scope }) {
    return continueWith(network.chain.blocks.getAccessList(block, 'raw', scope), (found) => {
      if (found === null) throw new RpcError('resourceNotFound');
      return found;
    });
  },
});
