import type { JsonText } from '../../packages/ethereum/primitives/json-result.ts';
import type { RollupInfo } from '../rollup/rollup-family.ts';
import { RpcError } from '../rpc/errors.ts';
import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfNothing } from './contract-scope.ts';
import type { MethodContext } from './method-context.ts';
import { rollupInfo } from './result-schemas.ts';

export const rollupGetInfo: Method<MethodContext> = defineMethod({
  name: 'rollup_getInfo',
  summary: 'Returns the state of the rollup node: its mode, its view of layer 1, and its progress.',
  description:
    'Only rollups serve this method. Numbers of the result are JSON numbers, not hex quantities. A number whose source is missing is 0.',
  params: [],
  result: { name: 'info', schema: rollupInfo },
  contractScope: scopeOfNothing,
  cost: 80,
  needsRollup: true,
  errors: ['methodNotFound', 'serverError', 'unavailable', 'misconfigured'],
  example: {
    params: [],
    result: {
      mode: 'sequencer',
      syncing: false,
      ethContext: {
        blockNumber: 71,
        timestamp: 1700000885,
      },
      rollupContext: {
        queueIndex: 4111,
        index: 19,
        verifiedIndex: 19,
      },
    },
  },
  async handle(_, { network, scope }) {
    if (network.rollup === undefined) throw new RpcError('methodNotFound', 'rollup_getInfo');
    return encodeRollupInfo(await network.rollup.info(scope));
  },
});

/** Encodes the JSON text by hand, because `JSON.stringify` does not support bigint. */
function encodeRollupInfo({ mode, syncing, ethContext, rollupContext }: RollupInfo): JsonText {
  return (
    `{"mode":"${mode}","syncing":${syncing},` +
    `"ethContext":{"blockNumber":${ethContext.blockNumber},"timestamp":${ethContext.timestamp}},` +
    `"rollupContext":{"queueIndex":${rollupContext.queueIndex},"index":${rollupContext.index},` +
    `"verifiedIndex":${rollupContext.verifiedIndex}}}`
  );
}
