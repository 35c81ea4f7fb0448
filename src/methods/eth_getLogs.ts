import * as z from 'zod';
import { defineMethod, type Method } from '../rpc/method.ts';
import { scopeOfLogs } from './contract-scope.ts';
import { countFurtherValues, logFilter } from './log-filter.ts';
import type { MethodContext } from './method-context.ts';
import { EXAMPLE_LOG } from './result-examples.ts';
import { log } from './result-schemas.ts';
import { workFor } from './work-credits.ts';

export const ethGetLogs: Method<MethodContext> = defineMethod({
  name: 'eth_getLogs',
  summary: 'Returns the logs with the requested addresses and topics, of a block or of a range of blocks.',
  description:
    'Without `fromBlock` and `toBlock`, the result has the logs of the head. A range that begins or ends above the head is an error. The option `logs` of the network bounds the blocks, results and bytes of one answer.',
  params: [{ name: 'filter', description: 'Which logs.', required: true, codec: logFilter }],
  result: { name: 'logs', schema: z.array(log) },
  contractScope: scopeOfLogs,
  cost: 255,
  errors: ['serverError', 'tooManyLogs', 'busy'],
  example: {
    params: [
      { address: EXAMPLE_LOG.address, fromBlock: '0x20', toBlock: '0x20', topics: [EXAMPLE_LOG.topics[0]] },
    ],
    result: [EXAMPLE_LOG],
  },
  handle([filter], { network, scope }) {
    return workFor(scope, 'eth_getLogs_further100Values', countFurtherValues(filter), () =>
      network.chain.logs.getLogs(filter, scope),
    );
  },
});
