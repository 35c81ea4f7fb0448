import type { JsonObject } from '../../rpc/codec/codec.ts';
import { objectOf, optional } from '../../rpc/codec/object-codec.ts';
import { boolean } from '../../rpc/schemas.ts';
import { blockArgument } from '../arguments.ts';
import { describeWei, toDecimal, toGwei, toNumber } from '../format-values.ts';
import { defineTool, type Tool } from '../tool.ts';
import type { ToolRun } from '../tool-run.ts';

export const blockTool: Tool = defineTool({
  name: 'block',
  title: 'Read a block',
  description:
    'Returns a block with decimal values. Transactions are listed by hash, or with their main values.',
  methods: ['eth_getBlockByNumber', 'eth_getBlockByHash'],
  args: objectOf('block', {
    block: optional(blockArgument),
    transactions: optional(boolean, 'whether to describe each transaction'),
  }),
  async handle({ block, transactions = false }, run) {
    const stamped = await run.stamp(block);
    const { header } = stamped;
    const listed = transactions ? await listTransactions(run, stamped.hash) : (header['transactions'] ?? []);
    return {
      parentHash: header['parentHash'],
      stateRoot: header['stateRoot'],
      feeRecipient: header['miner'],
      gasUsed: toDecimal(header['gasUsed']),
      gasLimit: toDecimal(header['gasLimit']),
      baseFeeGwei: toGwei(header['baseFeePerGas']),
      blobGasUsed: toDecimal(header['blobGasUsed']),
      sizeBytes: toNumber(header['size']),
      uncles: header['uncles'],
      ...(Array.isArray(header['withdrawals']) && { withdrawals: header['withdrawals'].length }),
      transactionCount: (header['transactions'] as readonly unknown[] | undefined)?.length ?? 0,
      transactions: listed,
    };
  },
});

async function listTransactions(run: ToolRun, hash: string | null): Promise<readonly unknown[]> {
  const method = hash === null ? 'eth_getBlockByNumber' : 'eth_getBlockByHash';
  const block = (await run.request(method, [hash ?? 'pending', true])) as JsonObject | null;
  const listed = (block?.['transactions'] ?? []) as readonly JsonObject[];
  return listed.map(({ hash, from, to, value, input, type }) => ({
    hash,
    type: toNumber(type),
    from,
    to,
    ether: describeWei(BigInt(value as string)).ether,
    ...(input !== '0x' && { selector: String(input).slice(0, 10) }),
  }));
}
