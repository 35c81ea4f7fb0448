import { encodeQuantity } from '../../../packages/ethereum/primitives/quantity.ts';
import { listOf } from '../../rpc/codec/list-codec.ts';
import { objectOf, optional } from '../../rpc/codec/object-codec.ts';
import { address } from '../../rpc/schemas.ts';
import type { RawLog } from '../abi/decode-log.ts';
import { encodeTopics } from '../abi/encode-topics.ts';
import { parseEvent } from '../abi/signatures.ts';
import { anyObject, blockArgument, countUpTo, oneOrMore, shortText } from '../arguments.ts';
import { describeLog } from '../describe-log.ts';
import { toNumber } from '../format-values.ts';
import { defineTool, type Tool } from '../tool.ts';
import { ToolError } from '../tool-error.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000;

export const logsTool: Tool = defineTool({
  name: 'logs',
  title: 'Search logs',
  description:
    'Searches the logs of a range of blocks, by contract and event, and decodes them. Without a range, the latest block is searched.',
  methods: ['eth_getBlockByNumber', 'eth_getBlockByHash', 'eth_getLogs'],
  args: objectOf('logs', {
    address: optional(oneOrMore(address, listOf(address)), 'contract, or a list of contracts'),
    event: optional(shortText, 'such as Transfer(address indexed from, address indexed to, uint256 value)'),
    where: optional(anyObject, 'values of indexed parameters by name; a list has alternatives'),
    fromBlock: optional(blockArgument, 'first block; default: toBlock'),
    toBlock: optional(blockArgument, 'last block; default: latest'),
    limit: optional(
      countUpTo(MAX_LIMIT),
      `most logs that are returned, the first ones; default ${DEFAULT_LIMIT}`,
    ),
  }),
  async handle({ address: addresses, event, where, fromBlock, toBlock, limit = DEFAULT_LIMIT }, run) {
    if (event === undefined && where !== undefined) throw new ToolError('where needs an event');
    const entry = event === undefined ? undefined : parseEvent(event);
    const topics = entry && encodeTopics(entry, where ?? {});
    // The last block is requested last, because the answer names the latest requested block.
    const first = fromBlock === undefined ? undefined : (await run.stamp(fromBlock)).number;
    const last = (await run.stamp(toBlock)).number;
    const from = first ?? last;
    if (from > last) throw new ToolError(`fromBlock ${from} is after toBlock ${last}`);
    const filter = {
      fromBlock: encodeQuantity(from),
      toBlock: encodeQuantity(last),
      ...(addresses !== undefined && { address: addresses }),
      ...(topics !== undefined && { topics }),
    };
    const logs = (await run.request('eth_getLogs', [filter])) as readonly RawLog[];
    return {
      fromBlock: Number(from),
      toBlock: Number(last),
      found: logs.length,
      ...(logs.length > limit && { shown: `the first ${limit}: raise limit or search fewer blocks` }),
      logs: logs.slice(0, limit).map((log) => ({
        block: toNumber(log.blockNumber),
        transaction: log.transactionHash,
        ...describeLog(log, entry === undefined ? [] : [entry]),
      })),
    };
  },
});
