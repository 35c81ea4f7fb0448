import { objectOf, optional } from '../../rpc/codec/object-codec.ts';
import { isDecodable, MAX_DATA_BYTES } from '../abi/decoded-size.ts';
import { decodeResult } from '../abi/values.ts';
import { blockArgument } from '../arguments.ts';
import { buildCall, CALL_FIELDS } from '../call-arguments.ts';
import { defineTool, type Tool } from '../tool.ts';
import { ToolError } from '../tool-error.ts';

export const callTool: Tool = defineTool({
  name: 'call',
  title: 'Call a contract',
  description:
    'Calls a function of a contract without sending a transaction, and decodes its result. Amounts are integers in the smallest unit of the token.',
  methods: ['eth_getBlockByNumber', 'eth_getBlockByHash', 'eth_call'],
  args: objectOf('call', { ...CALL_FIELDS, block: optional(blockArgument) }),
  async handle({ block, ...target }, run) {
    const { call, called } = buildCall(target);
    const { param } = await run.stamp(block);
    const data = (await run.request('eth_call', [call, param])) as string;
    if (called === undefined || called.outputs.length === 0) return { data };
    if (data === '0x')
      throw new ToolError(`the call returned no data: ${target.to} has no code, or no ${called.signature}`);
    if (!isDecodable(data))
      return {
        signature: called.signature,
        data,
        note: `data of more than ${MAX_DATA_BYTES} bytes are not decoded`,
      };
    const result = decodeResult(called.outputs, data);
    if (result === undefined)
      throw new ToolError(`the result does not fit the signature: ${data.slice(0, 1_000)}`);
    return { signature: called.signature, result };
  },
});
